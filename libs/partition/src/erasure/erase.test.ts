import { encodeEnvelope, type Answer, type CommandOf, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { restore, snapshot, stateHash } from '../index.ts'
import { decideErase, decideKeysDeleted, decideUnreadable } from './decideErase.ts'
import { ReferencePartition } from '../testing/ReferencePartition.ts'
import { numbersOf, TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'ada', origin: 'test', reason: 'Art. 17' }
const key = '00112233aabbccdd'
let token = 10_000

const byMessage = (config: Partial<QueueConfig> = {}): TestPartition => {
  const p = new TestPartition()
  p.create('mail', { erasable: 'message', ...config })
  return p
}
const byGroup = (config: Partial<QueueConfig> = {}): TestPartition => {
  const p = new TestPartition()
  p.create('mail', { erasable: 'group', groups: 'ordered', ...config })
  return p
}
let sends = 0
const send = (p: TestPartition, group: string, count = 1, options: Partial<CommandOf<'Enqueue'>> = {}) =>
  p.ok({
    type: 'Enqueue',
    queue: 'mail',
    producer: 'grouped',
    send: ++sends,
    messages: Array.from({ length: count }, (_, i) => encodeEnvelope(new Uint8Array(10).fill(i))),
    groups: Array.from({ length: count }, () => group),
    ...options,
  }).first
/** Asks for an erasure, and has the shell find its keys deleted; returns the answer and what was on record at first. */
const erase = (p: TestPartition, what: Partial<CommandOf<'Erase'>>) => {
  const mine = ++token
  p.act((turn) => decideErase(turn, { type: 'Erase', queue: 'mail', by, ...what }, mine, key))
  const { events } = p
  const [open] = p.state.erasures
  const answered = p.answers.get(mine)
  if (open !== undefined) {
    expect(answered).toBeUndefined()
    p.act((turn) => decideKeysDeleted(turn, open.erasure))
  }
  return { events, answer: p.answers.get(mine)!.answer as Answer<'Erase'> }
}
const message = (p: TestPartition, number: number) => ({ queue: p.state.names.get('mail')!.id, number })
/** The record read by the law message by message. */
const readByLaw = (p: TestPartition): void => {
  const law = new ReferencePartition()
  for (const { seq, at, events } of p.frames)
    law.read(events, at, (queue) => p.bodies.get(`${seq}/${queue}`) ?? [])
}

describe('an erasure of a message', () => {
  it('is on record with who and why, and answered when the keys are gone', () => {
    const p = byMessage()
    p.send('mail', 3)
    const { events, answer } = erase(p, { message: message(p, 2) })
    expect(events).toEqual([
      { type: 'Erased', queue: 1, erasure: 1, numbers: [2, 1], by },
      {
        type: 'Discarded',
        queue: 1,
        sub: 0,
        numbers: [2, 1],
        reason: 'erased',
        cause: 'operator',
        error: '',
      },
    ])
    expect(p.events).toEqual([{ type: 'KeysDeleted', queue: 1, erasure: 1 }])
    expect(answer).toEqual({ ok: { erasure: 1, discarded: 1 } })
    expect(numbersOf(p.receive('mail')!.numbers)).toEqual([1, 3])
    readByLaw(p)
  })

  it('ends it wherever it stands: in flight, paused, delayed, and under every subscription', () => {
    const p = byMessage({ retry: { kind: 'fixed', delayMs: 60_000 } })
    p.ok({ type: 'CreateSubscription', queue: 'mail', subscription: 'audit', settings: {}, by })
    p.send('mail', 2)
    p.send('mail', 3, { delayMs: 5_000 })
    const delivery = p.receive('mail', { max: 2 })!
    p.settle('Retry', delivery, { numbers: [2] })
    for (const [number, discarded] of [
      [1, 2],
      [2, 2],
      [4, 2],
    ] as const)
      expect(erase(p, { message: message(p, number) }).answer.ok).toMatchObject({ discarded })
    expect(p.settle('Retry', delivery, { numbers: [1] })).toEqual(['UnknownReceipt'])
    p.pass(120_000)
    expect(numbersOf(p.receive('mail')!.numbers)).toEqual([3, 5])
    expect(numbersOf(p.receive('mail', { subscription: 'audit' })!.numbers)).toEqual([3, 5])
    readByLaw(p)
  })

  it('of one that is final already only deletes its key', () => {
    const p = byMessage()
    p.send('mail')
    p.settle('Ack', p.receive('mail')!)
    const { events, answer } = erase(p, { message: message(p, 1) })
    expect(events.map(({ type }) => type)).toEqual(['Erased'])
    expect(answer.ok).toEqual({ erasure: 1, discarded: 0 })
    expect(p.counts('mail')).toMatchObject({ committed: 1, discarded: 0 })
  })

  it('is refused where it names nothing that can be erased, and leaves nothing on record', () => {
    const p = byMessage()
    p.create('plain')
    p.send('mail')
    const refused = (what: Partial<CommandOf<'Erase'>>) => erase(p, what).answer.error?.id
    expect(refused({ queue: 'nowhere', message: message(p, 1) })).toBe('UnknownQueue')
    expect(refused({ queue: 'plain', message: message(p, 1) })).toBe('NotErasable')
    expect(refused({ group: 'a' })).toBe('NotErasable')
    expect(refused({})).toBe('InvalidArgument')
    expect(refused({ message: message(p, 1), group: 'a' })).toBe('InvalidArgument')
    expect(refused({ message: message(p, 2) })).toBe('UnknownMessage')
    expect(refused({ message: { queue: 2, number: 1 } })).toBe('UnknownMessage')
    expect(refused({ message: message(p, 1), by: { name: 'ada', origin: 'test' } })).toBe('InvalidArgument')
    expect(p.frames.at(-1)!.events.map(({ type }) => type)).toEqual(['Enqueued'])
  })
})

describe('an erasure of a group', () => {
  for (const groups of ['ordered', 'fair'] as const)
    it(`ends all that is in it and leaves the others as they are, in a queue whose groups are ${groups}`, () => {
      const p = byGroup({ groups })
      send(p, 'a', 2)
      send(p, 'b', 2)
      send(p, 'a', 2)
      send(p, 'a', 1, { delayMs: 1_000 })
      p.receive('mail', { max: 1 })
      const { events, answer } = erase(p, { group: 'a' })
      expect(events[0]).toEqual({ type: 'Erased', queue: 1, erasure: 1, group: 'a', key, by })
      expect(answer.ok).toEqual({ erasure: 1, discarded: 5 })
      p.pass(60_000)
      expect(numbersOf(p.receive('mail')!.numbers)).toEqual([3, 4])
      expect(p.counts('mail')).toMatchObject({ discarded: 5, delayed: 0 })
      readByLaw(p)
    })

  it('is no end of the group: what is sent to it later goes its way', () => {
    const p = byGroup()
    send(p, 'a', 3)
    erase(p, { group: 'a' })
    send(p, 'a', 2)
    expect(numbersOf(p.receive('mail')!.numbers)).toEqual([4, 5])
    readByLaw(p)
  })
})

describe('a partition with erasures', () => {
  it('keeps those whose keys are not deleted through a checkpoint, and the queue may be deleted meanwhile', () => {
    const p = byMessage()
    p.send('mail', 2)
    p.act((turn) => decideErase(turn, { type: 'Erase', queue: 'mail', by, message: message(p, 1) }, ++token))
    const later = p.fork()
    expect(later.state.erasures).toMatchObject([{ erasure: 1, queue: 1, numbers: [1, 1] }])
    later.ok({ type: 'DeleteQueue', queue: 'mail', by })
    later.act((turn) => decideKeysDeleted(turn, 1))
    expect(later.state.erasures).toEqual([])
    later.act((turn) => decideKeysDeleted(turn, 1))
    expect(later.events).toEqual([])
    expect(stateHash(snapshot(restore(snapshot(later.state))))).toBe(stateHash(snapshot(later.state)))
  })
})

describe('a queue that is erasable', () => {
  it('is not to be indexed by its bodies, which would outlive them', () => {
    const p = new TestPartition()
    const config = { erasable: 'message', indexBody: 'on' } as const
    expect(p.ask({ type: 'CreateQueue', queue: 'mail', config, by }).error?.id).toBe('InvalidConfig')
  })

  it('is so from its creation on', () => {
    const p = byMessage()
    p.create('plain')
    const change = (queue: string, erasable: QueueConfig['erasable']) =>
      p.ask({ type: 'ConfigureQueue', queue, config: { erasable }, by }).error?.id
    expect(change('mail', 'none')).toBe('InvalidConfig')
    expect(change('plain', 'message')).toBe('InvalidConfig')
    expect(change('mail', 'message')).toBeUndefined()
  })

  it('by group has groups, needs one of every message, and stays in one partition', () => {
    const p = new TestPartition()
    const config = { erasable: 'group' } as const
    expect(p.ask({ type: 'CreateQueue', queue: 'mail', config, by }).error?.id).toBe('InvalidConfig')
    p.create('mail', { erasable: 'group', groups: 'fair' })
    expect(() => p.send('mail')).toThrow('every message needs a group')
    expect(() => send(p, '')).toThrow('every message needs a group')
    expect(p.ask({ type: 'SpreadQueue', queue: 'mail', partitions: [1], by }).error?.id).toBe('InvalidConfig')
  })

  it('knows no repeats by their content, whose digest would outlive them', () => {
    const p = new TestPartition()
    const config = { erasable: 'message', dedup: 'content' } as const
    expect(p.ask({ type: 'CreateQueue', queue: 'mail', config, by }).error?.id).toBe('InvalidConfig')
    p.create('mail', { erasable: 'message', dedup: 'id' })
    expect(p.ask({ type: 'ConfigureQueue', queue: 'mail', config: { dedup: 'content' }, by }).error?.id).toBe(
      'InvalidConfig',
    )
  })

  it('is the only one in which bodies are encrypted: nobody may send what looks so', () => {
    const p = new TestPartition()
    p.create('plain')
    const messages = [Uint8Array.of(0x80, 0x80, 0, 1, 2, 0, 0x7b, 0x7d)]
    const command = { type: 'Enqueue', queue: 'plain', producer: 'x', send: 1, messages } as const
    expect(p.ask(command).error?.id).toBe('MalformedRequest')
  })
})

describe('what is erased', () => {
  const subscribe = (p: TestPartition, start?: 'earliest') => {
    const start_ = start === undefined ? {} : { start }
    p.ok({ type: 'CreateSubscription', queue: 'mail', subscription: 's', settings: {}, by, ...start_ })
    return p.state.names.get('mail')!.named('s')!
  }

  it('is still repeated by a send with its dedup id, also where its time never came', () => {
    const p = byGroup({ dedup: 'id' })
    send(p, 'g', 1, { dedupIds: ['x'], delayMs: 10_000 })
    erase(p, { group: 'g' })
    expect(p.counts('mail')).toMatchObject({ delayed: 0, discarded: 1 })
    expect(send(p, 'g', 1, { dedupIds: ['x'] })).toBe(1)
  })

  it('counts for no subscription that began after a delayed message came', () => {
    const p = byMessage()
    subscribe(p)
    p.send('mail', 1, { delayMs: 10_000 })
    p.ok({ type: 'ResetSubscription', queue: 'mail', subscription: 'main', sub: 0, by })
    expect(erase(p, { message: message(p, 1) }).answer.ok).toMatchObject({ discarded: 1 })
    expect(p.counts('mail')).toMatchObject({ delayed: 0, discarded: 1 })
  })

  it('leaves no gap in the past that is being restored', () => {
    const p = byMessage()
    for (let n = 1; n <= 3; n++) p.send('mail')
    p.settle('Ack', p.receive('mail')!)
    const sub = subscribe(p, 'earliest')
    p.fill(sub, 2)
    erase(p, { message: message(p, 2) })
    p.fill(sub)
    expect(numbersOf(p.receive('mail', { subscription: 's' })!.numbers)).toEqual([1, 3])
  })

  it('elsewhere ends only what the delivery that showed it still holds', () => {
    const p = byMessage({ leaseMs: 1_000, retriesMax: 3 })
    p.send('mail')
    const first = p.receive('mail')!
    p.pass(1_000)
    const second = p.receive('mail')!
    p.act((turn) => decideUnreadable(turn, first, [1]))
    expect(p.events).toEqual([])
    p.act((turn) => decideUnreadable(turn, second, [1]))
    expect(p.events).toMatchObject([{ type: 'Discarded', reason: 'erased', numbers: [1, 1] }])
  })
})
