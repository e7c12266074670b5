import { describe, expect, it } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'
import { address, by, given, lane } from '../testing/deadLetters.ts'

describe('a message whose attempts are used up', () => {
  it('goes to the dead-letter queue with the retry that was one too many', () => {
    const p = given({ retriesMax: 1 })
    p.settle('Retry', p.receive('q')!, { error: 'no' })
    p.settle('Retry', p.receive('q')!, { error: 'still no' })
    expect(p.events).toMatchObject([
      { type: 'DeadLettered', cause: 'retry', error: 'still no', target: address, forward: 1 },
    ])
    expect(p.counts('q')).toMatchObject({ deadLettered: 1, available: 0, inflight: 0, waitingRetry: 0 })
    expect(lane(p)).toMatchObject({
      source: 1,
      target: address,
      next: 2,
      entries: [{ forward: 1, number: 1, attempts: 2, cause: 'retry', error: 'still no' }],
    })
  })
  it('goes there when its last lease ends', () => {
    const p = given({ retriesMax: 0 })
    p.receive('q', { leaseMs: 100 })
    expect(p.pass(100)).toMatchObject([{ type: 'DeadLettered', cause: 'leaseExpired' }])
  })
  it('is discarded where there is no dead-letter queue', () => {
    const p = given({ retriesMax: 0, deadLetter: null })
    p.settle('Retry', p.receive('q')!)
    expect(p.events).toMatchObject([{ type: 'Discarded', reason: 'exhausted', cause: 'retry' }])
    expect(p.counts('q').discarded).toBe(1)
  })
  it('stays until the next receive where exhaustion is seen there, and then is not delivered', () => {
    const p = given({ retriesMax: 0, exhaustion: 'onNextReceive' })
    p.settle('Retry', p.receive('q')!)
    expect(p.counts('q')).toMatchObject({ available: 1, deadLettered: 0 })
    expect(p.receive('q')).toBeUndefined()
    expect(p.events).toMatchObject([{ type: 'DeadLettered', cause: 'nextReceive', numbers: [1, 1] }])
    expect(p.counts('q')).toMatchObject({ available: 0, deadLettered: 1 })
  })
  it('is discarded by the next receive where there is no dead-letter queue', () => {
    const p = given({ retriesMax: 0, exhaustion: 'onNextReceive', deadLetter: null })
    p.receive('q', { leaseMs: 100 })
    expect(p.pass(100)).toMatchObject([{ type: 'LeaseExpired' }])
    expect(p.receive('q')).toBeUndefined()
    expect(p.events).toMatchObject([{ type: 'Discarded', reason: 'exhausted', cause: 'nextReceive' }])
  })
  it('leaves room in the batch for the others', () => {
    const p = given({ retriesMax: 0, exhaustion: 'onNextReceive' }, 3)
    p.settle('Retry', p.receive('q', { max: 2 })!)
    expect(p.receive('q', { max: 1 })!.numbers).toEqual([3, 1])
    expect(p.counts('q')).toMatchObject({ deadLettered: 2, inflight: 1 })
  })
  it('is not an answer: a receive that finds nothing else goes on waiting', () => {
    const p = given({ retriesMax: 0, exhaustion: 'onNextReceive' })
    p.settle('Retry', p.receive('q')!)
    const poll = p.poll('q', { waitMs: 1_000 })
    expect(p.got(poll)).toBeUndefined()
    p.send('q')
    expect(p.got(poll)).toEqual([2])
  })
  it('is judged by the limit in force at its last delivery', () => {
    const p = given({ retriesMax: 3 })
    const d = p.receive('q')!
    p.configure('q', { retriesMax: 0 })
    p.settle('Retry', d)
    expect(p.counts('q').deadLettered).toBe(0)
    p.settle('Retry', p.receive('q')!)
    expect(p.counts('q').deadLettered).toBe(1)
  })
})

describe('a dead letter on purpose', () => {
  it('goes with its error, whatever attempts are left', () => {
    const p = given()
    expect(p.settle('DeadLetter', p.receive('q')!, { error: 'poison' })).toEqual([])
    expect(lane(p)?.entries).toMatchObject([{ cause: 'onPurpose', error: 'poison', attempts: 1 }])
  })
  it('of somebody whose lease ended is refused', () => {
    const p = given()
    const d = p.receive('q', { leaseMs: 10 })!
    p.pass(10)
    expect(p.settle('DeadLetter', d)).toEqual(['ReceiptExpired'])
  })
})

describe('a queue that others name as their dead-letter queue', () => {
  const named = (): TestPartition => {
    const p = new TestPartition()
    const deadLetter = { partition: 3, queue: p.create('dead'), name: 'dead' }
    p.create('q')
    p.ok({ type: 'CreateSubscription', queue: 'q', subscription: 's', settings: { deadLetter }, by })
    p.create('mail', { deadLetter })
    return p
  }
  it('is not deleted, and the error says who they are', () => {
    const p = named()
    expect(p.ask({ type: 'DeleteQueue', queue: 'dead', by }).error).toMatchObject({
      id: 'QueueInUse',
      message: 'queue "dead" is the dead-letter queue of "mail", "q"',
    })
    expect(p.events).toEqual([])
    p.configure('mail', { deadLetter: null })
    p.ok({ type: 'DeleteSubscription', queue: 'q', subscription: 's', by })
    p.ok({ type: 'DeleteQueue', queue: 'dead', by })
  })
  it('is deleted by force, and what names it stays as it is', () => {
    const p = named()
    p.ok({ type: 'DeleteQueue', queue: 'dead', force: true, by })
    expect(p.state.names.has('dead')).toBe(false)
    expect(p.state.names.get('mail')!.config.deadLetter?.name).toBe('dead')
  })
})
