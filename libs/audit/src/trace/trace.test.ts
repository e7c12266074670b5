import type { Log } from '@kiroku/log'
import { KirokuError, messageId } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repair } from '../repair/repair.ts'
import { ask, body, lastFrame, receive, send, tester } from '../testing/TestRecord.ts'
import { explain } from './explain.ts'
import { renderTrace } from './renderTrace.ts'
import { trace } from './trace.ts'
import { exportTrace, importTrace } from './traceFile.ts'
import { traceUpTo } from './traceUpTo.ts'

let engine: MemoryEngine
let mail: number
const idOf = (number: number, partition = 0, queue = mail): string =>
  messageId({ incarnation: 'memory', partition, queue, number })

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 2, checkpoints: { bytesMin: 30_000, ageMs: 1e9 } })
  const dead = await ask(engine, 1, { type: 'CreateQueue', queue: 'dead', config: {}, by: tester })
  const deadLetter = { name: 'dead', partition: 1, queue: dead.queue }
  const config = { retriesMax: 1, deadLetter }
  mail = (await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config, by: tester })).queue
})
afterEach(() => engine.close())

/** Message 2 fails twice and is handled as a dead letter; the others are only there. */
const failTwice = async () => {
  await send(engine, 0, 'mail', 'a', 'b', 'c')
  const first = await receive(engine, 0, 'mail', 2)
  const items = [{ ...first.items[0]!, numbers: [2, 1] }]
  await ask(engine, 0, { type: 'Retry', items, delayMs: 1, error: 'no such city:\n  Atlantis' })
  await waitUntil(() => engine.node().actors.get(0)!.state.queues.get(mail)!.subs[0]!.waitingRetry === 0)
  const second = await receive(engine, 0, 'mail', 1)
  expect(second.numbers).toEqual([2, 1])
  await ask(engine, 0, { type: 'Extend', items: second.items, leaseMs: 60_000 })
  await ask(engine, 0, { type: 'Retry', items: second.items, error: 'still no such city' })
  const dead = await receive(engine, 1, 'dead', 1, 5_000)
  await ask(engine, 1, { type: 'Ack', items: dead.items })
}

/** The log without one of its partitions. */
const without = (missing: number): Log => ({
  ...engine.log,
  meta: engine.log.meta,
  partition: (n: number) =>
    n === missing
      ? Promise.reject(new KirokuError('LogDamaged', `NATS has no stream ${n}`))
      : engine.log.partition(n),
})

describe('the trace of a message', () => {
  it('shows what it can while a partition on its way is missing, and names that', async () => {
    await failTwice()
    const found = await trace(without(1), idOf(2))
    expect(found).toMatchObject({ queues: ['mail'], state: 'DLQ' })
    expect(found.missing).toEqual([
      { partition: 1, problem: { seq: 0, id: 'LogDamaged', message: 'NATS has no stream 1' } },
    ])
    expect(renderTrace(found)).toContain(
      'Partition 1 is missing, and what it holds with it: NATS has no stream 1',
    )
    const arrived = await trace(without(0), idOf(1, 1, 1))
    expect(arrived).toMatchObject({ queues: ['dead'], state: 'Committed', complete: false })
    expect(arrived.missing).toMatchObject([{ partition: 0 }])
  })

  it('names the missing partition where nothing else is known of the message', async () => {
    await failTwice()
    await expect(trace(without(0), idOf(2))).rejects.toMatchObject({
      id: 'LogDamaged',
      message: expect.stringContaining('Partition 0 is missing') as string,
    })
  })

  it('follows it through every attempt into the dead-letter queue on another partition', async () => {
    await failTwice()
    const found = await trace(engine.log, idOf(2))
    expect(found).toMatchObject({
      queues: ['mail', 'dead'],
      state: 'Committed',
      complete: true,
      unreadable: [],
    })
    const told = found.steps.map(({ partition, queue, event, state, attempt }) =>
      [partition, queue, event, state, attempt].join(' '),
    )
    expect(told).toEqual([
      '0 mail Enqueued Available 0',
      '0 mail Delivered Inflight 1',
      '0 mail RetryScheduled WaitingRetry 1',
      '0 mail RetryDue Available 1',
      '0 mail Delivered Inflight 2',
      '0 mail LeaseExtended Inflight 2',
      '0 mail DeadLettered DLQ 2',
      '1 dead ForwardReceived Available 0',
      '1 dead Delivered Inflight 1',
      '1 dead Acked Committed 1',
    ])
    expect(found.steps[0]).toMatchObject({ producer: 'tester', number: 2 })
    expect(found.steps[1]).toMatchObject({ consumer: 'worker-1', delivery: 1 })
    expect(found.steps[2]!.dueAt! - found.steps[2]!.at).toBe(1)
    expect(found.steps[6]).toMatchObject({
      cause: 'retry',
      error: 'still no such city',
      target: { partition: 1, queue: 'dead', forward: 1 },
    })
    expect(found.steps[7]).toMatchObject({ from: { partition: 0, queue: 'mail', forward: 1 }, number: 1 })
    const seqs = found.steps.map(({ seq }) => seq)
    expect(seqs.slice(0, 7)).toEqual([...seqs.slice(0, 7)].sort((a, b) => a - b))
  })

  it('renders as text, one line per event, within 100 columns', async () => {
    await failTwice()
    const lines = renderTrace(await trace(engine.log, idOf(2))).split('\n')
    expect(lines[0]).toBe(`${idOf(2)}  mail → dead`)
    const path = lines
      .slice(1, lines.indexOf(''))
      .join('')
      .replaceAll(/ [\d.]+ (ms|s|min)/g, '')
    expect(path.replaceAll(/ +/g, ' ')).toBe(
      'Ready → Inflight → WaitingRetry → Ready → Inflight → DLQ → Ready → Inflight → Committed',
    )
    expect(lines.filter((line) => /^\d\d-\d\d /.test(line))).toHaveLength(10)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
    expect(lines.find((line) => line.includes('RetryScheduled'))).toMatch(
      /RetryScheduled +1 +WaitingRetry +in 1 ms, no such city: Atlantis/,
    )
  })

  it('shows of each delivery the wait, the duration, the consumer and the outcome', async () => {
    await failTwice()
    const { steps, attempts } = await trace(engine.log, idOf(2))
    const at = (i: number): number => steps[i]!.at
    expect(attempts).toMatchObject([
      { queue: 'mail', attempt: 1, outcome: 'RetryScheduled', error: 'no such city:\n  Atlantis' },
      { queue: 'mail', attempt: 2, outcome: 'DeadLettered', leaseUntil: steps[5]!.leaseUntil },
      { queue: 'dead', attempt: 1, outcome: 'Acked', consumer: 'worker-1' },
    ])
    expect(attempts.map(({ waitMs, ms }) => [waitMs, ms])).toEqual([
      [at(1) - at(0), at(2) - at(1)],
      [at(4) - at(3), at(6) - at(4)],
      [at(8) - at(7), at(9) - at(8)],
    ])
    expect(renderTrace(await trace(engine.log, idOf(2)))).toMatch(
      /ATTEMPT +WAITED +WORKED +LEASE +WORKER +OUTCOME/,
    )
  })

  it('is the same for each id of its lineage', async () => {
    await failTwice()
    const dead = [...engine.node().actors.get(1)!.state.queues.keys()][0]!
    const whole = await trace(engine.log, idOf(2))
    expect(await trace(engine.log, idOf(1, 1, dead))).toEqual(whole)
    expect(whole.messageId).toBe(idOf(2))
  })

  it('begins with what is left where its earlier life was trimmed', async () => {
    await failTwice()
    const dead = [...engine.node().actors.get(1)!.state.queues.keys()][0]!
    const { lastSeq } = await (await engine.log.partition(0)).state()
    await (await engine.log.partition(0)).trim(lastSeq)
    const found = await trace(engine.log, idOf(1, 1, dead))
    expect(found).toMatchObject({ messageId: idOf(1, 1, dead), complete: false, queues: ['dead'] })
  })

  it('up to a moment is what it was then', async () => {
    await failTwice()
    const found = await trace(engine.log, idOf(2))
    const upTo = (count: number) => traceUpTo(found, (step) => found.steps.indexOf(step) < count)
    expect(upTo(found.steps.length)).toEqual(found)
    const dying = upTo(7)!
    expect(dying).toMatchObject({ queues: ['mail'], state: 'DLQ', attempts: found.attempts.slice(0, 2) })
    expect(explain(dying).sentences.at(-1)).toMatch(/on its way to its dead-letter queue/)
    expect(upTo(2)!.attempts).toMatchObject([{ attempt: 1 }])
    expect(upTo(2)!.attempts[0]).not.toHaveProperty('outcome')
    expect(upTo(0)).toBeUndefined()
  })

  it('can be exported to a file, and read elsewhere without the log', async () => {
    await failTwice()
    const found = await trace(engine.log, idOf(2))
    const text = exportTrace(found)
    expect(text.trim().split('\n')).toHaveLength(1 + found.steps.length)
    expect(importTrace(text)).toEqual(found)
    const lines = text.split('\n')
    expect(() => importTrace(lines.slice(0, 4).join('\n'))).toThrow('cut off: it has 3 of 10')
    expect(() => importTrace('{}')).toThrow('not an exported trace')
    expect(() => importTrace('hello')).toThrow('line 1 of the trace is not JSON')
    expect(() => importTrace(text.replace('"version":1', '"version":2'))).toThrow('version 2')
  })

  it('that the first version exported can still be read', () => {
    const text = [
      '{"kiroku":"trace","version":1,"messageId":"a-0-1-1","queues":["mail"],"state":"Available","attempts":[],"complete":true,"unreadable":[],"steps":1}',
      '{"partition":0,"seq":7,"at":5,"queue":"mail","number":1,"event":"Enqueued","state":"Available","attempt":0,"producer":"p","send":1}',
    ].join('\n')
    expect(importTrace(text)).toMatchObject({ messageId: 'a-0-1-1', steps: [{ event: 'Enqueued' }] })
  })

  it('is the same after restarts, long after everything ended', async () => {
    await failTwice()
    const before = await trace(engine.log, idOf(2))
    await engine.restart()
    expect(await trace(engine.log, idOf(2))).toEqual(before)
  })

  it('shows delays, releases and purges', async () => {
    const messages = [body('x'), body('y')]
    await ask(engine, 0, {
      type: 'Enqueue',
      queue: 'mail',
      producer: 'p',
      send: 1,
      messages,
      delaysMs: [0, 60_000],
    })
    const { items } = await receive(engine, 0, 'mail')
    await ask(engine, 0, { type: 'Release', items })
    await ask(engine, 0, { type: 'PurgeQueue', queue: 'mail', by: tester })
    const one = await trace(engine.log, idOf(1))
    expect(one.steps.map(({ event, attempt }) => `${event} ${attempt}`)).toEqual([
      'Enqueued 0',
      'Delivered 1',
      'Released 0',
      'QueuePurged 0',
    ])
    const two = await trace(engine.log, idOf(2))
    expect(two.steps).toMatchObject([
      { event: 'Enqueued', state: 'Delayed' },
      { event: 'QueuePurged', state: 'Discarded', reason: 'purged', by: tester },
    ])
  })

  it('shows that a lease was lengthened while the partition had no owner', async () => {
    await send(engine, 0, 'mail', 'a')
    await receive(engine, 0, 'mail')
    const { at } = await lastFrame(engine.log, 0)
    await waitUntil(() => Date.now() > at)
    await engine.restart()
    const { steps } = await trace(engine.log, idOf(1))
    expect(steps.map(({ event }) => event)).toEqual(['Enqueued', 'Delivered', 'ClockResumed'])
    expect(steps[2]!.leaseUntil).toBeGreaterThan(steps[1]!.leaseUntil!)
  })

  it('continues past damage and says what it could not read', async () => {
    await send(engine, 0, 'mail', 'a')
    const before = (await lastFrame(engine.log, 0)).seq
    await receive(engine, 0, 'mail')
    await send(engine, 0, 'mail', 'b')
    engine.log.faults.loseRecord(0, before + 1)
    const found = await trace(engine.log, idOf(2))
    expect(found).toMatchObject({ unreadable: [{ partition: 0, seq: before + 1 }], steps: [{}] })
    expect(renderTrace(found)).toContain(`1 record cannot be read: 0/${before + 1}`)
  })

  it('marks what a repair gave up as never having happened', async () => {
    await send(engine, 0, 'mail', 'a')
    await receive(engine, 0, 'mail')
    await engine.close()
    const { seq } = await lastFrame(engine.log, 0)
    await engine.restart()
    await ask(engine, 0, { type: 'PauseDelivery', queue: 'mail', by: tester })
    await ask(engine, 0, { type: 'PurgeQueue', queue: 'mail', by: tester })
    engine.log.faults.damage(0, seq + 1)
    await repair(engine.log, 0, { decodeCheckpoint, by: tester, note: 'x' })
    const found = await trace(engine.log, idOf(1))
    expect(found.state).toBe('Inflight')
    expect(found.steps.at(-1)).toMatchObject({ event: 'QueuePurged', voided: true })
  })

  it('knows queues and the end of a life after the beginning was trimmed', async () => {
    await failTwice()
    const handle = await engine.log.partition(0)
    for (let i = 0; (await handle.checkpoints.list()).length < 1; i++)
      await send(engine, 0, 'mail', 'filler '.repeat(500))
    const { steps } = await trace(engine.log, idOf(2))
    await handle.trim(steps[3]!.seq - 1)
    const found = await trace(engine.log, idOf(2), { decodeCheckpoint })
    expect(found).toMatchObject({ complete: false, queues: ['mail', 'dead'], state: 'Committed' })
    expect(found.steps.map(({ event }) => event)).toEqual(steps.slice(3).map(({ event }) => event))
  })
})

describe('an id', () => {
  it.each([
    ['of another log', 'other-0-1-1', 'UnknownMessage'],
    ['of a missing partition', 'memory-7-1-1', 'UnknownMessage'],
    ['of a message that was never sent', 'memory-0-1-1', 'UnknownMessage'],
    ['that is not one', 'hello', 'InvalidArgument'],
  ])('%s is refused', async (_, id, error) => {
    await expect(trace(engine.log, id)).rejects.toMatchObject({ id: error })
  })
})
