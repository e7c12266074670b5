import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryLog, type MemoryLog } from '@kiroku/log'
import { oldestBodySeq, snapshot, stateHash } from '@kiroku/partition'
import { type Command, KirokuError } from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import * as Cause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Fiber from 'effect/Fiber'
import { describe, expect, it } from 'vitest'
import { decodeCheckpoint, encodeCheckpoint } from '../checkpoint/CheckpointCodec.ts'
import { noteFilesIn, TailNotes } from '../checkpoint/TailNotes.ts'
import { load } from '../checkpoint/load.ts'
import { acceptLostEnd, body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'

const send = (n: number, messages = 1, bytes = 10): Extract<Command, { type: 'Enqueue' }> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: 'p',
  send: n,
  messages: Array.from({ length: messages }, () => body('x'.repeat(bytes))),
})
const withQueue = async (log: MemoryLog, ...rest: [string?, object?]) => {
  const node = await startTestNode(log, ...rest)
  await node.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  return node
}
type TestNode = Awaited<ReturnType<typeof startTestNode>>
const lifeOf = (one: TestNode) => one.node.actors.get(0)?.life

/** Receives up to 10 messages and acknowledges them. */
const work = async ({ ask }: Pick<TestNode, 'ask'>): Promise<void> => {
  const { queue, delivery, numbers } = (await ask(receive('mail', 10))).delivery!
  await ask({ type: 'Ack', items: [{ queue, sub: 0, delivery, numbers }] })
}

describe('the owner of a partition', () => {
  it('goes on after a stray record on its subject, and puts it on record', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log)
    log.faults.write(0, new TextEncoder().encode('not ours'))
    const first = await one.node.request(0, [send(1)])
    expect(first.answers[0]!.error?.id).toBe('Unavailable')
    await waitUntil(() => lifeOf(one) === 'Active')
    await one.ask(send(1))
    expect(one.node.actors.get(0)!.state.foreignRecords).toBe(1)
    expect((await one.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.sent).toBe(1)
    await one.close()
  })

  it('confirms no repeat of a send whose frame was under way and never stored', async () => {
    const time = new ManualTime()
    const log = createMemoryLog(
      { partitions: 1 },
      { schedule: (ms, run) => (ms === 0 ? queueMicrotask(run) : void time.after(ms, run)) },
    )
    const one = await withQueue(log, 'one', { time })
    log.faults.slow(100)
    log.faults.onAppend(0, 'displaced')
    const first = one.node.request(0, [send(1)])
    await time.settle()
    const repeat = one.node.request(0, [send(1)])
    await time.settle()
    log.faults.slow(0)
    await time.advance(100)
    for (const reply of [await first, await repeat]) expect(reply.answers[0]!.error?.id).toBe('Unavailable')
    expect(await one.ask(send(1))).toMatchObject({ first: 1, count: 1 })
    await one.close()
  })

  it('stops when another node took the partition over, and confirms nothing more', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const old = await withQueue(log, 'old')
    const young = await startTestNode(log, 'young')
    const stale = await old.node.request(0, [send(1)])
    expect(stale.answers[0]!.error?.id).toMatch(/NotOwner|Unavailable/)
    await waitUntil(() => old.node.actors.get(0)?.life === 'Fenced' || old.node.actors.get(0) === undefined)
    expect((await young.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.sent).toBe(0)
    await young.ask(send(1))
    await young.close()
    await old.close()
  })

  it('refuses sends with StorageFull when the log is full, and loses nothing that was acknowledged', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log)
    await one.ask(send(1))
    log.faults.onAppend(0, 'full')
    expect((await one.node.request(0, [send(2)])).answers[0]!.error?.id).toBe('StorageFull')
    await waitUntil(() => lifeOf(one) === 'Active')
    expect((await one.node.request(0, [send(2)])).answers[0]!.error?.id).toBe('StorageFull')
    const { delivery } = await one.ask(receive('mail'))
    const item = { queue: delivery!.queue, sub: 0, delivery: delivery!.delivery, numbers: delivery!.numbers }
    expect(await one.ask({ type: 'Ack', items: [item] })).toEqual({ refused: [] })
    await one.close()
  })

  it('closes a damaged partition and says where the damage is', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log)
    for (let n = 1; n <= 5; n++) await one.ask(send(n))
    await one.close()
    log.faults.damage(0, 8)
    const two = await startTestNode(log, 'two')
    expect(lifeOf(two)).toBe('Quarantined')
    const answer = (await two.node.request(0, [send(6)])).answers[0]!
    expect(answer.error?.id).toBe('Quarantined')
    expect(answer.error?.message).toContain('8')
    expect(await two.ask({ type: 'DescribePartition' })).toMatchObject({ state: 'Quarantined' })
    await two.close()
  })

  it('notices while it owns the log that its tail is gone', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log)
    await one.ask(send(1))
    log.faults.loseTail(0, 1)
    expect((await one.node.request(0, [send(2)])).answers[0]!.error?.id).toMatch(
      /Unavailable|Quarantined|NotOwner/,
    )
    await waitUntil(() => lifeOf(one) === 'Quarantined')
    expect((await one.node.request(0, [send(2)])).answers[0]!.error?.message).toContain('was stored')
    await one.close()
  })

  it('notices that the log lost its tail', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kiroku-tail-'))
    try {
      const log = createMemoryLog({ partitions: 1 })
      const notes = () => new TailNotes(noteFilesIn(folder), log.meta.incarnation)
      const one = await withQueue(log, 'one', { tailNotes: notes() })
      await one.ask(send(1))
      await one.close()
      log.faults.loseTail(0, 6)
      const two = await startTestNode(log, 'two', { tailNotes: notes() })
      expect(lifeOf(two)).toBe('Quarantined')
      expect((await two.node.request(0, [send(2)])).answers[0]!.error?.message).toContain('saw')
      await two.close()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('opens again by itself once a repair acknowledged the loss', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kiroku-tail-'))
    try {
      const log = createMemoryLog({ partitions: 1 })
      const notes = () => new TailNotes(noteFilesIn(folder), log.meta.incarnation)
      const one = await withQueue(log, 'one', { tailNotes: notes() })
      await one.ask(send(1))
      await one.close()
      log.faults.loseTail(0, 6)
      const two = await startTestNode(log, 'two', { tailNotes: notes() })
      expect(lifeOf(two)).toBe('Quarantined')
      await acceptLostEnd(log)
      const ended = await Effect.runPromise(Fiber.await(two.fiber))
      expect(String(ended)).toContain('written by another process')
      await two.close()
      const three = await startTestNode(log, 'three', { tailNotes: notes() })
      expect(lifeOf(three)).toBe('Active')
      await three.close()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it.each(['LogDamaged', 'ForeignStream'] as const)(
    'closes a partition whose log the store does not have, says why, and opens it when it is there (%s)',
    async (id) => {
      const memory = createMemoryLog({ partitions: 1 })
      await (await withQueue(memory)).close()
      let isThere = false
      const partition = (n: number) =>
        isThere ? memory.partition(n) : Promise.reject(new KirokuError(id, 'no stream of that name'))
      const states: string[] = []
      const one = await startTestNode({ ...memory, partition }, 'node-2', {
        onState: (_, state, __, reason) => states.push(`${state}: ${reason}`),
      })
      expect(states.at(-1)).toMatch(/^Quarantined: .*no stream of that name/)
      const [described, listed] = (
        await one.node.request(0, [{ type: 'DescribePartition' }, { type: 'ListQueues' }])
      ).answers
      expect(described!.ok).toMatchObject({ partition: 0, state: 'Quarantined' })
      expect(listed!.error).toMatchObject({
        id: 'Quarantined',
        message: expect.stringContaining('no stream of that name') as string,
      })
      isThere = true
      const ended = await Effect.runPromise(Fiber.await(one.fiber))
      expect(Exit.isFailure(ended) && Cause.squash(ended.cause)).toMatchObject({ id: 'NotOwner' })
      await one.close()
      const again = await startTestNode(memory, 'node-3')
      expect((await again.ask({ type: 'ListQueues' })).queues).toMatchObject([{ name: 'mail' }])
      await again.close()
    },
  )

  it('notes the tail also when nothing follows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kiroku-tail-'))
    const log = createMemoryLog({ partitions: 1 })
    const tailNotes = new TailNotes(noteFilesIn(folder), log.meta.incarnation)
    const one = await withQueue(log, 'one', { tailNotes })
    try {
      await one.ask(send(1))
      await one.ask(send(2))
      const { lastSeq } = await (await log.partition(0)).state()
      const file = join(folder, `tail-${log.meta.incarnation}-0.json`)
      await waitUntil(() => (JSON.parse(readFileSync(file, 'utf8')) as { seq: number }).seq === lastSeq)
    } finally {
      await one.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('rebuilds the same state from a checkpoint and the frames behind it as from the whole log', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, 'one', { checkpoints: { bytesMin: 20_000, ageMs: 1e9 } })
    for (let n = 1; n <= 40; n++) {
      await one.ask(send(n, 10, 100))
      const { delivery } = await one.ask(receive('mail', 7))
      const item = {
        queue: delivery!.queue,
        sub: 0,
        delivery: delivery!.delivery,
        numbers: [delivery!.numbers[0]!, 3],
      }
      await one.ask({ type: 'Ack', items: [item] })
    }
    const part = await log.partition(0)
    await waitUntil(async () => (await part.checkpoints.list()).length > 1)
    await waitUntil(() => one.node.actors.get(0)!.state.checkpoints.length > 1)
    const last = async () => (await part.state()).lastSeq
    const fromCheckpoint = await load(part, await last())
    expect(fromCheckpoint.checkpointSeq).toBeGreaterThan(0)
    const live = stateHash(snapshot(one.node.actors.get(0)!.state))
    expect(stateHash(snapshot(fromCheckpoint.state))).toBe(live)
    for (const seq of await part.checkpoints.list()) log.faults.loseCheckpoint(0, seq)
    expect(stateHash(snapshot((await load(part, await last())).state))).toBe(live)
    await one.close()
  })

  it('takes an older checkpoint than one that the log does not name, and says so', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const checkpoints = { bytesMin: 20_000, ageMs: 1e9 }
    const one = await withQueue(log, 'one', { checkpoints })
    const part = await log.partition(0)
    for (let n = 1; one.node.actors.get(0)!.state.checkpoints.length < 2; n++) await one.ask(send(n, 10, 100))
    await one.close()
    const { lastSeq } = await part.state()
    const whole = await load(part, lastSeq)
    const [newest, older] = await part.checkpoints.list()
    expect(whole).toMatchObject({ checkpointSeq: newest, passedOver: [] })

    const { hash, snapshot: taken, largeBodies } = decodeCheckpoint((await part.checkpoints.get(newest!))!)!
    const wrong = encodeCheckpoint({ ...taken, nextQueue: 99 }, newest!, hash, largeBodies!)
    log.faults.loseCheckpoint(0, newest!)
    await part.checkpoints.put(newest!, wrong.bytes)
    const loaded = await load(part, lastSeq)
    expect(loaded).toMatchObject({ checkpointSeq: older, passedOver: [{ seq: newest }] })
    expect(stateHash(snapshot(loaded.state))).toBe(stateHash(snapshot(whole.state)))

    const troubles: string[] = []
    const two = await startTestNode(log, 'two', { onTrouble: (_, what) => void troubles.push(what) })
    await waitUntil(() => lifeOf(two) === 'Active')
    expect(troubles).toEqual([expect.stringContaining(`checkpoint ${newest} is skipped`)])
    await two.close()
  })

  it('trims the log to its record limit and keeps every live message', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 100_000 })
    const one = await withQueue(log, 'one', { checkpoints: { bytesMin: 50_000, ageMs: 1e9 } })
    const part = await log.partition(0)
    let n = 0
    await waitUntil(async () => {
      await one.ask(send(++n, 10, 1_000))
      await work(one)
      return (await part.state()).firstSeq > 100
    })
    await one.ask({ ...send(++n), messages: [body('the last')] })
    // The record that a checkpoint stands on stays as long as that does.
    await waitUntil(async () => (await part.get((await part.checkpoints.list()).at(-1)!)) !== undefined)
    await one.close()
    const two = await startTestNode(log, 'two')
    expect((await two.ask(receive('mail', 10))).delivery!.messages.map(text)).toEqual(['the last'])
    expect((await two.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.committed).toBe((n - 1) * 10)
    await two.close()
  })

  it('keeps the record limit in all partitions together', async () => {
    const log = createMemoryLog({ partitions: 4, recordBytes: 400_000 })
    const one = await withQueue(log, 'one', { checkpoints: { bytesMin: 20_000, ageMs: 1e9 } })
    const part = await log.partition(0)
    let n = 0
    let most = 0
    await waitUntil(async () => {
      await one.ask(send(++n, 5, 1_000))
      await work(one)
      const { bytes, firstSeq } = await part.state()
      most = Math.max(most, bytes)
      return firstSeq > 50
    })
    expect(most).toBeLessThan(200_000)
    await one.close()
  })

  it('releases a delivery that reached nobody also when it hears of that during a recovery', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const lives: string[] = []
    const one = await withQueue(log, 'one', {
      onState: (_: number, state: string) => {
        lives.push(state)
        if (lives.length > 3 && state === 'Fencing') one.node.undelivered(0, delivery!)
      },
    })
    await one.ask(send(1))
    const { delivery } = await one.ask(receive('mail', 1))
    log.faults.onAppend(0, 'displaced')
    expect((await one.node.request(0, [send(2)])).answers[0]!.error?.id).toBe('Unavailable')
    await waitUntil(() => lifeOf(one) === 'Active')
    expect(lives.filter((life) => life === 'Fencing')).toHaveLength(2)
    const again = await one.ask(receive('mail', 1, 5_000))
    expect(again.delivery).toMatchObject({ numbers: [1, 1], attempts: [1] })
    await one.close()
  })

  it('carries what an old part of the log still holds forward, and then trims that part', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 50_000 })
    const one = await withQueue(log, 'one', { checkpoints: { bytesMin: 50_000, ageMs: 1e9 } })
    await one.ask({ ...send(1), messages: [body('touched')] })
    const held = (await one.ask({ ...receive('mail', 1), leaseMs: 3_600_000 })).delivery!
    await one.ask({ ...send(2), messages: [body('late 1'), body('late 2')], delayMs: 3_600_000 })
    const part = await log.partition(0)
    let n = 2
    await waitUntil(async () => {
      await one.ask(send(++n, 10, 1_000))
      await work(one)
      expect(oldestBodySeq(snapshot(one.node.actors.get(0)!.state))).toBeGreaterThanOrEqual(
        (await part.state()).firstSeq,
      )
      return (await part.state()).firstSeq > 50
    })
    await one.close()
    const two = await startTestNode(log, 'two')
    const item = { queue: held.queue, sub: 0, delivery: held.delivery, numbers: held.numbers }
    await two.ask({ type: 'Release', items: [item] })
    expect((await two.ask(receive('mail', 1))).delivery!.messages.map(text)).toEqual(['touched'])
    expect((await two.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.delayed).toBe(2)
    await two.close()
  })

  it('tells waiting receives at a hand-over to ask the next owner', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log)
    const waiting = one.node.request(0, [receive('mail', 1, 20_000)])
    await waitUntil(() => one.node.actors.get(0)!.ownership.polls.size === 1)
    await one.close()
    expect((await waiting).answers[0]!.error?.id).toBe('NotOwner')
  })
})
