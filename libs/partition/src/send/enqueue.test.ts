import { encodeEnvelope, limits, metaBytesMax, type CommandOf, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { restore, snapshot } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const given = (config: Partial<QueueConfig> = {}): TestPartition => {
  const p = new TestPartition()
  p.create('q', config)
  return p
}
const send = (change: Partial<CommandOf<'Enqueue'>> = {}): CommandOf<'Enqueue'> => ({
  type: 'Enqueue',
  queue: 'q',
  producer: 'p',
  send: 1,
  messages: [new Uint8Array(5)],
  ...change,
})
const bodyBytesMax = 100_000
const five = Array.from({ length: 5 }, () => new Uint8Array(5))

describe('a send', () => {
  it('numbers its messages behind those before it', () => {
    const p = given()
    expect(p.ok(send({ messages: five }))).toEqual({ queue: 1, first: 1, count: 5 })
    expect(p.ok(send({ send: 2 }))).toEqual({ queue: 1, first: 6, count: 1 })
    expect(p.counts('q')).toMatchObject({ sent: 6, available: 6 })
  })
  it('that is repeated gets the same answer and stores nothing', () => {
    const p = given()
    const first = p.ok(send({ messages: five, delaysMs: [0, 5, 5, 0, 7] }))
    p.ok(send({ send: 2 }))
    expect(p.ok(send({ messages: five }))).toEqual(first)
    expect(p.events).toEqual([])
    expect(p.counts('q').sent).toBe(6)
  })
  it('that is repeated in the same turn is stored once', () => {
    const p = given()
    const tokens = p.turn(send(), send())
    expect(tokens.map((t) => p.answers.get(t)?.answer?.ok)).toEqual(
      Array(2).fill({ queue: 1, first: 1, count: 1 }),
    )
    expect(p.counts('q').sent).toBe(1)
  })
  it('of another producer with the same number is another send', () => {
    const p = given()
    p.ok(send())
    p.ok(send({ producer: 'other' }))
    expect(p.counts('q').sent).toBe(2)
  })
  it('may be repeated after its queue is gone', () => {
    const p = given()
    const first = p.ok(send())
    p.ok({ type: 'DeleteQueue', queue: 'q', by: { name: 'tester', origin: 'test' } })
    expect(p.ok(send())).toEqual(first)
  })
  it('that was refused may be made again', () => {
    const p = new TestPartition()
    expect(p.ask(send()).error?.id).toBe('UnknownQueue')
    p.create('q')
    expect(p.ok(send()).first).toBe(1)
  })
  it('is remembered for 64 sends of its producer, however they are ordered; then it is refused as too old', () => {
    const p = given()
    for (let n = limits.producerWindowSends; n >= 1; n--) p.ok(send({ send: n }))
    expect(p.ok(send({ send: 1 })).first).toBe(64)
    p.ok(send({ send: 65 }))
    expect(p.ask(send({ send: 1 })).error?.message).toContain('too long ago')
    expect(p.ok(send({ send: 2 })).first).toBe(63)
    expect(p.counts('q').sent).toBe(65)
  })
  it('is forgotten when its producer was silent for 15 minutes and others were not', () => {
    const p = given()
    p.ok(send())
    p.now += limits.producerIdleMs - 1
    p.ok(send({ producer: 'other' }))
    expect(p.ok(send()).first).toBe(1)
    p.now += 1
    p.ok(send({ producer: 'other', send: 2 }))
    expect(p.state.producers.find('p', 1)).toBeUndefined()
    expect(p.ok(send()).first).toBe(4)
  })
  it('is forgotten with the producer that was silent the longest, whichever was there first', () => {
    const p = given()
    p.ok(send())
    p.ok(send({ producer: 'silent' }))
    p.now += limits.producerIdleMs - 1_000
    p.ok(send({ send: 2 }))
    p.now += 1_000
    p.ok(send({ producer: 'third' }))
    expect(snapshot(p.state).producers.ids).toEqual(['p', 'third'])
  })
})

describe('a send that names the one before it', () => {
  it('is refused while that one is not stored, and taken afterwards, also in the same turn', () => {
    const p = given()
    expect(p.ask(send({ send: 2, after: { send: 1 } })).error).toMatchObject({ id: 'OutOfOrder' })
    expect(p.events).toEqual([])
    const tokens = p.turn(send(), send({ send: 2, after: { send: 1 } }))
    expect(tokens.map((t) => p.answers.get(t)?.answer?.ok)).toMatchObject([{ first: 1 }, { first: 2 }])
  })
  it('may name one of another producer, or a later number', () => {
    const p = given()
    const later = { producer: 'other', send: 7 }
    expect(p.ask(send({ after: later })).error?.id).toBe('OutOfOrder')
    p.ok(send(later))
    expect(p.ok(send({ after: later })).first).toBe(2)
  })
  it('has its answer again whatever it names', () => {
    const p = given()
    p.ok(send())
    expect(p.ok(send({ after: { send: 9 } })).first).toBe(1)
  })
  it('may name one that was stored too long ago to be known', () => {
    const p = given()
    p.ok(send({ send: limits.producerWindowSends + 1 }))
    expect(p.ok(send({ send: limits.producerWindowSends + 2, after: { send: 1 } })).first).toBe(2)
  })
})

describe('a producer for whom there is no room', () => {
  const full = (): TestPartition => {
    const before = given()
    const state = restore(snapshot(before.state))
    for (let i = 0; i < limits.producersMax; i++)
      state.producers.note(`old ${i}`, 1, 1, 1, 1, state.at + Math.floor(i / 1_000))
    const p = new TestPartition(restore(snapshot(state)), restore(snapshot(state)))
    p.now = before.now + 99
    return p
  }
  it('is asked to come again, and forgets nobody else, so that no repeat is stored a second time', () => {
    const p = full()
    const { error } = p.ask(send())
    expect(error).toMatchObject({ id: 'Busy', retryAfterMs: 1_000 })
    expect(p.events).toEqual([])
    for (const i of [0, 50_000, limits.producersMax - 1])
      expect(p.ok(send({ producer: `old ${i}` }))).toMatchObject({ first: 1 })
    expect(p.ok(send({ producer: 'old 7', send: 2 })).first).toBe(1)
    expect(p.counts('q').sent).toBe(1)
  })
  it('is not refused any more once another was silent for 15 minutes', () => {
    const p = full()
    p.now += limits.producerIdleMs - 100
    expect(p.ask(send()).error).toMatchObject({ id: 'Busy', retryAfterMs: 1 })
    p.now += 1
    expect(p.ok(send()).first).toBe(1)
    expect(p.state.producers.find('old 0', 1)).toBeUndefined()
    expect(p.state.producers.find('old 1000', 1)).toMatchObject({ first: 1 })
  })
  it('may neither recall nor move a message meanwhile', () => {
    const p = full()
    p.ok(send({ producer: 'old 1', send: 2, delayMs: 5_000 }))
    const by = { name: 'tester', origin: 'test' }
    expect(p.ask({ type: 'Recall', queue: 1, number: 1, producer: 'r', send: 1, by }).error?.id).toBe('Busy')
  })
})

describe('a delay', () => {
  it('of the send holds all its messages back', () => {
    const p = given()
    p.ok(send({ messages: five, delayMs: 100 }))
    expect(p.counts('q')).toMatchObject({ delayed: 5, available: 0 })
    expect(p.pass(99)).toEqual([])
    expect(p.pass(1)).toMatchObject([{ type: 'DelayElapsed', numbers: [1, 5] }])
    expect(p.counts('q')).toMatchObject({ delayed: 0, available: 5 })
  })
  it('of a message beats that of the send, and -1 is the queue’s', () => {
    const p = given({ deliveryDelayMs: 30 })
    p.ok(send({ messages: five, delayMs: 10, delaysMs: [0, 20, -1, -1, 0] }))
    expect(p.receive('q')!.numbers).toEqual([1, 1, 5, 1])
    p.pass(20)
    expect(p.receive('q')!.numbers).toEqual([2, 1])
    p.pass(10)
    expect(p.receive('q')!.numbers).toEqual([3, 2])
  })
  it('of 0 beats the queue’s', () => {
    const p = given({ deliveryDelayMs: 30 })
    p.ok(send({ delayMs: 0 }))
    expect(p.counts('q').available).toBe(1)
  })
  it('applies to the messages that have none of their own', () => {
    const p = given()
    p.ok(send({ messages: five, delayMs: 50, delaysMs: [0] }))
    expect(p.counts('q')).toMatchObject({ available: 1, delayed: 4 })
  })
  it('brings messages behind those that became available before', () => {
    const p = given()
    p.ok(send({ delayMs: 100 }))
    p.ok(send({ send: 2, delayMs: 50 }))
    p.ok(send({ send: 3 }))
    p.pass(50)
    p.ok(send({ send: 4 }))
    p.pass(50)
    expect(p.receive('q')!.numbers).toEqual([3, 1, 2, 1, 4, 1, 1, 1])
  })
  it('of many messages ends for all of them, also when a turn cannot take them all', () => {
    const p = given()
    for (let i = 0; i < 12; i++) {
      const delaysMs = Array.from({ length: 1_000 }, (_, k) => 1 + (k % 2))
      p.ok(send({ send: i + 1, messages: delaysMs.map(() => new Uint8Array(1)), delaysMs }))
    }
    p.now += 10
    p.turn()
    expect(p.events.length).toBe(5_000)
    p.pass(0)
    expect(p.counts('q')).toMatchObject({ delayed: 0, available: 12_000 })
  })
})

describe('messages of one frame', () => {
  it('with one due time are one run, however many sends they came in', () => {
    const p = given()
    p.turn(...Array.from({ length: 20 }, (_, i) => send({ send: i + 1, messages: five })))
    expect(p.state.runs.used).toBe(1)
    p.turn(send({ send: 21 }))
    expect(p.state.runs.used).toBe(2)
  })
})

describe('a send is refused', () => {
  const wrong: [string, string, object][] = [
    ['without messages', 'InvalidArgument', { messages: [] }],
    ['with too many messages', 'InvalidArgument', { messages: Array.from({ length: 1_001 }, () => five[0]) }],
    ['with a body beyond the queue’s limit', 'BodyTooLarge', { messages: [new Uint8Array(200_000)] }],
    ['that is cut short', 'MalformedRequest', { messages: [new Uint8Array([9, 1])] }],
    [
      'with too many attributes',
      'InvalidArgument',
      { messages: [encodeEnvelope(new Uint8Array(bodyBytesMax), { contentType: 'x'.repeat(17_000) })] },
    ],
    [
      'with attributes beyond all that its queue has room for',
      'InvalidArgument',
      {
        messages: [
          encodeEnvelope(new Uint8Array(1), { contentType: 'x'.repeat(metaBytesMax(bodyBytesMax, 1)) }),
        ],
      },
    ],
    ['to a queue that is not there', 'UnknownQueue', { queue: 'x' }],
    ['of a producer with too long a name', 'InvalidArgument', { producer: 'p'.repeat(129) }],
    ['without its number', 'InvalidArgument', { send: Number.NaN }],
    ['with number 0', 'InvalidArgument', { send: 0 }],
    ['with a negative number', 'InvalidArgument', { send: -1 }],
    ['with half a number', 'InvalidArgument', { send: 1.5 }],
    ['with a number beyond all numbers', 'InvalidArgument', { send: 1e300 }],
    ['with a bigint for a number', 'InvalidArgument', { send: 1n }],
    ['with a delay that is no number', 'InvalidArgument', { delayMs: Number.NaN }],
    ['with half a millisecond of delay', 'InvalidArgument', { delayMs: 0.5 }],
    ['with a delay in the past', 'InvalidArgument', { delayMs: -2 }],
    ['with a delay beyond 14 days', 'InvalidArgument', { delayMs: limits.delayMsMax + 1 }],
    [
      'with a delay of one message beyond 14 days',
      'InvalidArgument',
      { delaysMs: [Number.POSITIVE_INFINITY] },
    ],
    ['with a delay that outlasts retention', 'InvalidArgument', { delayMs: 3_600_000 }],
  ]
  it('but not for attributes that take the room of a body', () => {
    const p = given({ bodyBytesMax })
    const contentType = 'x'.repeat(metaBytesMax(bodyBytesMax, 1) - 30)
    p.ok(send({ messages: [encodeEnvelope(new Uint8Array(1), { contentType })] }))
    expect(p.counts('q').available).toBe(1)
  })
  it.each(wrong)('%s', (_, id, change) => {
    const p = given({ bodyBytesMax, retentionMs: 3_600_000 })
    expect(p.ask(send(change)).error?.id).toBe(id)
    expect(p.events).toEqual([])
    expect(p.ok(send()).first).toBe(1)
  })
})
