import { encodeEnvelope, limits, type Answers, type CommandOf, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { restore, snapshot, stateHash } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }
const windowMs = 300_000

const given = (config: Partial<QueueConfig> = {}): TestPartition => {
  const p = new TestPartition()
  p.create('q', { dedup: 'content', ...config })
  return p
}
let sends = 0
type Sent = Partial<Omit<CommandOf<'Enqueue'>, 'messages'>>
const enqueue = (bodies: string, o: Sent = {}): CommandOf<'Enqueue'> => ({
  type: 'Enqueue',
  queue: 'q',
  producer: 'p',
  send: ++sends,
  messages: [...bodies].map((b) => encodeEnvelope(new TextEncoder().encode(b))),
  ...o,
})
/** Sends one message for each letter; returns their numbers. */
const send = (p: TestPartition, bodies: string, o: Sent = {}): number[] => numbersIn(p.ok(enqueue(bodies, o)))
const numbersIn = ({ first, count, numbers = [first, count] }: Answers['Enqueue']): number[] => {
  const all: number[] = []
  for (let i = 0; i < numbers.length; i += 2)
    for (let k = 0; k < numbers[i + 1]!; k++) all.push(numbers[i]! + k)
  return all
}
const refused = (p: TestPartition, bodies: string, o: Sent = {}) => p.ask(enqueue(bodies, o)).error
const restarted = (p: TestPartition): TestPartition => {
  const next = new TestPartition(restore(structuredClone(snapshot(p.state))), restore(snapshot(p.state)))
  next.now = p.now
  return next
}

describe('a queue that deduplicates by content', () => {
  it('stores a body once, and answers the second send with the first message', () => {
    const p = given()
    expect([send(p, 'a'), send(p, 'b'), send(p, 'a')]).toEqual([[1], [2], [1]])
    expect(p.events).toMatchObject([{ type: 'Deduplicated', answer: [1, 1], originals: [1] }])
    expect(p.counts('q')).toMatchObject({ sent: 2, available: 2 })
  })
  it('looks at the body alone, not at what travels beside it', () => {
    const p = given()
    const body = new TextEncoder().encode('a')
    const messages = [encodeEnvelope(body), encodeEnvelope(body, { contentType: 'text/plain' })]
    expect(numbersIn(p.ok({ ...enqueue(''), messages }))).toEqual([1, 1])
  })
  it('takes an explicit id in place of the body', () => {
    const p = given()
    expect(send(p, 'ab', { dedupIds: ['x', ''] })).toEqual([1, 2])
    expect(send(p, 'ca', { dedupIds: ['x', ''] })).toEqual([1, 3])
  })
})

describe('a queue that deduplicates by id', () => {
  it('stores an id once, whatever the body', () => {
    const p = given({ dedup: 'id' })
    expect([send(p, 'a', { dedupIds: ['x'] }), send(p, 'a', { dedupIds: ['y'] })]).toEqual([[1], [2]])
    expect(send(p, 'b', { dedupIds: ['x'] })).toEqual([1])
  })
  it('refuses a message without one', () => {
    const p = given({ dedup: 'id' })
    expect(refused(p, 'a')).toMatchObject({ id: 'InvalidArgument', message: expect.stringMatching(/by id/) })
    expect(refused(p, 'ab', { dedupIds: ['x', ''] })?.id).toBe('InvalidArgument')
    expect(p.events).toEqual([])
  })
})

describe('a batch with repeats', () => {
  it('gets a number for each message, also where one repeats another of the same batch', () => {
    const p = given()
    send(p, 'ab')
    expect(send(p, 'cbdcae')).toEqual([3, 2, 4, 3, 1, 5])
    expect(p.events).toMatchObject([
      { type: 'Enqueued', first: 3, count: 3, bytes: 3 },
      { type: 'Deduplicated', answer: [3, 1, 2, 1, 4, 1, 3, 1, 1, 1, 5, 1], originals: [2, 3, 1] },
    ])
    expect(p.receive('q', { max: 10 })!.numbers).toEqual([1, 5])
  })
  it('keeps delays, tags and groups of those that are new', () => {
    const p = given({ groups: 'fair' })
    send(p, 'b', { groups: ['g'] })
    const numbers = send(p, 'abc', { delaysMs: [50, 60, 70], tags: ['r', 's', 't'], groups: ['h', 'i', 'j'] })
    expect(numbers).toEqual([2, 1, 3])
    expect(p.events).toMatchObject([
      { type: 'Enqueued', first: 2, dueAt: p.now + 50, tag: 'r', group: 'h' },
      { type: 'Enqueued', first: 3, dueAt: p.now + 70, tag: 't', group: 'j' },
      { type: 'Deduplicated' },
    ])
  })
  it('gets the same answer when the producer repeats it, also from another owner', () => {
    const p = given()
    send(p, 'ab')
    const command = enqueue('cbad')
    const answer = p.ok(command)
    expect(numbersIn(answer)).toEqual([3, 2, 1, 4])
    p.pass(windowMs)
    expect(p.ok(command)).toEqual(answer)
    expect(restarted(p).ok(command)).toEqual(answer)
    for (let i = 0; i < 64; i++) send(p, 'z')
    expect(p.ask(command).error?.id).toBe('InvalidArgument')
    const [[, answers]] = snapshot(p.state).producers.answers as [[number, [number, unknown][]]]
    expect(answers.map(([number]) => number)).not.toContain(command.send)
  })
  it('has no more in its answer than others where nothing was repeated', () => {
    const p = given()
    expect(p.ok(enqueue('ab'))).toEqual({ queue: 1, first: 1, count: 2 })
    expect(p.events).toMatchObject([{ type: 'Enqueued', keys: { length: 32 } }])
  })
})

describe('the window', () => {
  it('begins with the first send and ends to the millisecond', () => {
    const p = given()
    expect(send(p, 'a')).toEqual([1])
    p.pass(windowMs / 2)
    expect(send(p, 'a')).toEqual([1])
    p.pass(windowMs / 2 - 1)
    expect(send(p, 'a')).toEqual([1])
    p.pass(1)
    expect(send(p, 'a')).toEqual([2])
    p.pass(windowMs - 1)
    expect(send(p, 'a')).toEqual([2])
  })
  it('is the one that is set now: shorter and longer, but what is over stays over', () => {
    const p = given()
    send(p, 'a')
    p.pass(2_500)
    send(p, 'b')
    p.configure('q', { dedupWindowMs: 2_000 })
    p.configure('q', { dedupWindowMs: windowMs })
    expect(send(p, 'ab')).toEqual([3, 2])
  })
  it('outlasts the message', () => {
    const p = given()
    send(p, 'a')
    p.settle('Ack', p.receive('q')!)
    expect(send(p, 'a')).toEqual([1])
    expect(p.receive('q')).toBeUndefined()
  })
  it('is the same for the next owner, whenever each of them looks', () => {
    const p = given({ dedupWindowMs: 1_500 })
    for (const [i, pause] of [300, 800, 450, 1, 999, 0, 1_300, 700].entries()) {
      send(p, String(i))
      const next = restarted(p)
      for (const each of [p, next]) each.now += pause
      p.turn()
      p.turn()
      const command = enqueue(`x${i}`)
      expect(next.ok(command)).toEqual(p.ok(command))
      expect(stateHash(snapshot(next.state))).toBe(stateHash(snapshot(p.state)))
    }
  })
  it('leaves nothing behind when it is over', () => {
    const p = given()
    send(p, 'abc')
    p.pass(windowMs + 1_000)
    p.create('other')
    expect(p.state.dedup.size).toBe(0)
    expect(snapshot(p.state).queues[0]).not.toHaveProperty('dedup')
  })
})

describe('repeats are looked for', () => {
  it('in the whole queue, whatever the group', () => {
    const p = given({ groups: 'ordered' })
    expect([send(p, 'a', { groups: ['g'] }), send(p, 'a', { groups: ['h'] })]).toEqual([[1], [1]])
  })
  it('in the group alone where that is set', () => {
    const p = given({ groups: 'ordered', dedupScope: 'group' })
    expect(send(p, 'aaa', { groups: ['g', 'h', 'g'] })).toEqual([1, 2, 1])
    expect(send(p, 'b', { groups: ['1:'], dedupIds: ['x'] })).toEqual([3])
    expect(send(p, 'b', { groups: ['1'], dedupIds: [':x'] })).toEqual([4])
  })
  it('in one queue at a time', () => {
    const p = given()
    p.create('r', { dedup: 'content' })
    expect([send(p, 'a'), send(p, 'a', { queue: 'r' })]).toEqual([[1], [1]])
    expect(p.counts('r').sent).toBe(1)
  })
  it('not among dead letters and redriven messages', () => {
    const p = given()
    const from = { partition: 9, queue: 1 }
    const messages = ['a', 'a'].map((b) => encodeEnvelope(new TextEncoder().encode(b)))
    p.ok({ type: 'Forward', from, target: 1, forward: 1, messages, enqueuedAt: [1, 1] })
    expect(p.counts('q').sent).toBe(2)
    expect(send(p, 'a')).toEqual([3])
  })
})

describe('keys are forgotten', () => {
  it('by a purge, also of an empty queue', () => {
    const p = given()
    send(p, 'a')
    p.settle('Ack', p.receive('q')!)
    expect(p.ok({ type: 'PurgeQueue', queue: 'q', by })).toEqual({ purged: 0 })
    expect(p.events).toMatchObject([{ type: 'QueuePurged' }])
    expect(send(p, 'a')).toEqual([2])
    expect(p.ok({ type: 'PurgeQueue', queue: 'q', by })).toEqual({ purged: 1 })
    p.ok({ type: 'PurgeQueue', queue: 'q', by })
    expect(p.events).toEqual([])
  })
  it('with their queue', () => {
    const p = given()
    send(p, 'abc')
    p.ok({ type: 'DeleteQueue', queue: 'q', by })
    expect(p.state.dedup.size).toBe(0)
    p.create('q', { dedup: 'content' })
    expect(send(p, 'a')).toEqual([1])
  })
  it('of a message that is recalled: what is like it may be sent again', () => {
    const p = given()
    send(p, 'abc', { delayMs: 1_000 })
    p.ok({ type: 'Recall', queue: 1, number: 2, producer: 'r', send: 1, by })
    expect(send(p, 'abc')).toEqual([1, 4, 3])
  })
})

describe('a queue that does not deduplicate', () => {
  it('refuses a dedup id rather than promise what it does not do', () => {
    const p = given({ dedup: 'off' })
    expect(refused(p, 'a', { dedupIds: ['x'] })).toMatchObject({
      id: 'InvalidArgument',
      message: expect.stringMatching(/does not deduplicate/),
    })
    expect(send(p, 'aa', { dedupIds: ['', ''] })).toEqual([1, 2])
  })
  it('has no keys on record', () => {
    const p = given({ dedup: 'off' })
    send(p, 'aa')
    expect(p.events[0]).not.toHaveProperty('keys')
    expect(p.state.dedup.size).toBe(0)
  })
})

describe('a queue that deduplicates stays in one partition', () => {
  it('and is not spread', () => {
    const p = given()
    const { error } = p.ask({ type: 'SpreadQueue', queue: 'q', partitions: [1], by })
    expect(error).toMatchObject({ id: 'InvalidConfig', message: expect.stringMatching(/one partition/) })
  })
})

describe('ids that cannot be', () => {
  it.each([
    [{ dedupIds: ['x'] }, /1 dedup ids for 2/],
    [{ dedupIds: ['x', 'y'.repeat(129)] }, /up to 128/],
    [{ dedupIds: ['x', 7] as unknown as string[] }, /up to 128/],
  ])('are refused: %o', (o, message) => {
    const p = given()
    expect(refused(p, 'ab', o)).toMatchObject({
      id: 'InvalidArgument',
      message: expect.stringMatching(message),
    })
  })
})

describe('a partition that remembers all the keys it can', () => {
  it('is busy until the first is over, and still answers repeats', () => {
    const p = given({ dedupWindowMs: 10_000 })
    send(p, 'a')
    p.state.dedup.size += limits.dedupKeysMax - 1
    p.pass(9_600)
    expect(refused(p, 'b')).toMatchObject({ id: 'Busy', retryAfterMs: 400 })
    expect(send(p, 'a')).toEqual([1])
    expect(p.counts('q').sent).toBe(1)
    p.pass(1_400)
    p.state.dedup.size -= limits.dedupKeysMax - 1
    expect(send(p, 'b')).toEqual([2])
  })
})

describe('a send of which a part was sent before', () => {
  it('is remembered by the keys of what it stored', () => {
    const p = given()
    expect(send(p, 'a')).toEqual([1])
    expect(send(p, 'abc')).toEqual([1, 2, 3])
    expect(send(p, 'cb')).toEqual([3, 2])
  })
})

describe('a window that changes', () => {
  it('brings back nothing that was over by the one before, when it becomes longer', () => {
    const p = given({ dedupWindowMs: 1_000 })
    p.now += 100
    send(p, 'a')
    p.now += 1_400
    p.configure('q', { dedupWindowMs: 10_000 })
    expect(send(p, 'a')).toEqual([2])
  })
  it('leaves nothing that is over by the new one, so that a restart remembers as much', () => {
    const p = given({ dedupWindowMs: 10_000 })
    p.now += 100
    send(p, 'a')
    p.now += 1_400
    p.configure('q', { dedupWindowMs: 1_000 })
    expect(p.state.dedup.size).toBe(0)
  })
})
