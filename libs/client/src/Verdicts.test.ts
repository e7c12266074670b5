import { describe, expect, it } from 'vitest'
import { BackPressure } from './BackPressure.ts'
import { type Outcome, Verdicts } from './Verdicts.ts'

const verdictsOf = (messages: number) => {
  const acked: number[] = []
  return { verdicts: new Verdicts(messages, (indexes) => acked.push(...indexes)), acked }
}

const retry = (indexes: number[], delayMs?: number, error?: string) => ({
  settlement: { type: 'Retry', delayMs, error },
  indexes,
})

const release = (indexes: number[], delayMs?: number, more = {}) => ({
  settlement: { type: 'Release', delayMs, ...more },
  indexes,
})

describe('verdicts of a handler', () => {
  it('acknowledges everything when it returns without a verdict', () => {
    const { verdicts, acked } = verdictsOf(3)
    expect(verdicts.finish()).toEqual([])
    expect(acked).toEqual([0, 1, 2])
  })

  it('retries everything with the error when it throws, except what was acknowledged', () => {
    const { verdicts, acked } = verdictsOf(3)
    verdicts.ack(1)
    expect(acked).toEqual([1])
    expect(verdicts.finish({ error: 'boom' })).toEqual([retry([0, 2], undefined, 'boom')])
    expect(acked).toEqual([1])
  })

  it('lets the first verdict on a message count', () => {
    const { verdicts, acked } = verdictsOf(2)
    verdicts.ack(0)
    verdicts.retry(0)
    verdicts.retry(1)
    verdicts.ack(1)
    expect(verdicts.finish()).toEqual([retry([1])])
    expect(acked).toEqual([0])
  })

  it('lets a verdict on a message win over a later one on the batch', () => {
    const acking = verdictsOf(3)
    acking.verdicts.retry(1, { delayMs: 5 })
    acking.verdicts.ackAll()
    expect(acking.acked).toEqual([0, 2])
    expect(acking.verdicts.finish()).toEqual([retry([1], 5)])

    const retrying = verdictsOf(3)
    retrying.verdicts.ack(1)
    retrying.verdicts.retryAll({ delayMs: 7 })
    expect(retrying.verdicts.finish()).toEqual([retry([0, 2], 7)])
  })

  it('ignores every verdict after ackAll, also a failure', () => {
    const { verdicts, acked } = verdictsOf(2)
    verdicts.ackAll()
    verdicts.retry(0)
    verdicts.retryAll()
    verdicts.release(1)
    expect(verdicts.finish({ error: 'late' })).toEqual([])
    expect(acked).toEqual([0, 1])
  })

  it('after retryAll, accepts no acknowledgement but a delay for a single message', () => {
    const { verdicts, acked } = verdictsOf(3)
    verdicts.retryAll({ delayMs: 1_000 })
    verdicts.ack(0)
    verdicts.ackAll()
    verdicts.retry(2, { delayMs: 0 })
    expect(verdicts.finish()).toEqual([retry([0, 1], 1_000), retry([2], 0)])
    expect(acked).toEqual([])
  })

  it('lets a second retry change the delay, and keeps it when it sets none', () => {
    const { verdicts } = verdictsOf(1)
    verdicts.retry(0, { delayMs: 1_000, error: 'first' })
    verdicts.retry(0, { delayMs: 2_000 })
    verdicts.retry(0)
    expect(verdicts.finish()).toEqual([retry([0], 2_000, 'first')])
  })

  it('gives back with the delay of the message or the batch, and lets the first verdict count', () => {
    const { verdicts, acked } = verdictsOf(4)
    verdicts.release(0, { delayMs: 5, error: 'busy' })
    verdicts.release(0, { delayMs: 9 })
    verdicts.retry(0)
    verdicts.retry(1, { delayMs: 3 })
    verdicts.releaseAll({ delayMs: 7, holdSubscription: true })
    verdicts.retry(2)
    verdicts.retryAll()
    verdicts.ackAll()
    expect(verdicts.finish()).toEqual([
      release([0], 9, { error: 'busy', holdSubscription: true }),
      retry([1], 3),
      release([2, 3], 7, { holdSubscription: true }),
    ])
    expect(acked).toEqual([])
  })

  it('applies nothing of a retry of the batch to a message that is given back', () => {
    const { verdicts } = verdictsOf(2)
    verdicts.release(0)
    verdicts.retryAll({ delayMs: 7 })
    verdicts.release(1, { delayMs: 5 })
    expect(verdicts.finish()).toEqual([release([0]), retry([1], 7)])
  })

  it('gives everything back that has no verdict when the handler is told to wait', () => {
    const { verdicts, acked } = verdictsOf(4)
    verdicts.ack(0)
    verdicts.retry(1, { delayMs: 3 })
    expect(verdicts.fail(new BackPressure({ delayMs: 30, reason: '429', holdSubscription: true }))).toEqual([
      retry([1], 3),
      release([2, 3], 30, { error: '429', holdSubscription: true }),
    ])
    expect(acked).toEqual([0])
    const retrying = verdictsOf(1).verdicts
    retrying.retryAll()
    expect(retrying.fail(new BackPressure({ delayMs: 30, reason: '429' }))).toEqual([
      retry([0], undefined, '429'),
    ])
    const releasing = verdictsOf(1).verdicts
    releasing.releaseAll({ delayMs: 2 })
    expect(releasing.abandon()).toEqual([release([0], 2)])
  })

  it('tells those of messages that ended together, ahead of the batch and once', async () => {
    const told: Outcome[][] = []
    const verdicts = new Verdicts(
      5,
      () => {},
      (outcomes) => told.push(outcomes),
    )
    for (const index of [0, 1]) verdicts.retry(index, { delayMs: 3 })
    verdicts.deadLetter(2, 'bad')
    verdicts.ack(3)
    for (const index of [0, 2, 3, 4]) verdicts.end(index)
    await Promise.resolve()
    expect(told).toEqual([
      [retry([0], 3), { settlement: { type: 'DeadLetter', error: 'bad' }, indexes: [2] }],
    ])
    verdicts.retry(0, { delayMs: 9 })
    verdicts.end(0)
    verdicts.end(1)
    expect(verdicts.abandon()).toEqual([retry([1], 3), release([4])])
    await Promise.resolve()
    expect(told).toHaveLength(1)
  })

  it('gives back what has no verdict when the consumer stops, and keeps the others', () => {
    const { verdicts, acked } = verdictsOf(4)
    verdicts.ack(0)
    verdicts.retry(1, { delayMs: 3 })
    verdicts.deadLetter(2, 'bad')
    expect(verdicts.abandon()).toEqual([
      retry([1], 3),
      { settlement: { type: 'DeadLetter', error: 'bad' }, indexes: [2] },
      { settlement: { type: 'Release' }, indexes: [3] },
    ])
    verdicts.ack(3)
    expect(acked).toEqual([0])
  })
})
