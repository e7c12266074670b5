import { createMemoryLog } from '@kiroku/log'
import { snapshot, stateHash } from '@kiroku/partition'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { Node } from '../Node.ts'
import { liveTime, type Time } from '../Time.ts'
import { limits } from '../limits.ts'
import { checkpointed } from '../testing/alteredLog.ts'
import { body, by, liveThrough, own, receive, startTestNode } from '../testing/startTestNode.ts'
import { load } from './load.ts'

const rare = { bytesMin: 1e12, ageMs: 1e12 }
/** Records that take a tenth of the bound to replay. */
const tenth = Math.ceil(limits.replayMsMax / limits.replayRecordMs / 10)
/** Lives after which a hand-over stores a state: each takes more than two records. */
const enough = Math.ceil(limits.handOverReplayMsMax / limits.replayRecordMs / 2)

const given = async (checkpoints: typeof rare & { readonly replayMsMax?: number }, time: Time = liveTime) => {
  const log = createMemoryLog({ partitions: 1 })
  const part = await log.partition(0)
  const one = await startTestNode(log, 'one', { checkpoints, time })
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  const live = liveThrough(one, 'mail')
  const loaded = async () => load(part, (await part.state()).lastSeq)
  return { log, part, one, live, loaded }
}

describe('what an owner stores for the next', () => {
  it('bounds what that has to replay, whatever the age of the log, and is one state at a time', async () => {
    const { part, one, live, loaded } = await given({ ...rare, replayMsMax: limits.replayMsMax / 10 })
    for (let round = 0; round < 5; round++) await live(tenth / 3)
    await waitUntil(async () => (await loaded()).frames < 1.1 * tenth)
    await waitUntil(async () => (await part.checkpoints.list()).length === 1)
    expect((await part.state()).lastSeq).toBeGreaterThan(4 * tenth)
    expect(await checkpointed(part)).toEqual([])
    expect(stateHash(snapshot((await loaded()).state))).toBe(
      stateHash(snapshot(one.node.actors.get(0)!.state)),
    )
    await one.close()
  })

  it('is stored before a hand-over begins, so that the next owner replays next to nothing', async () => {
    const { log, one, live } = await given(rare)
    await live(enough)
    const { frames } = one.node.actors.get(0)!.metrics
    await one.close()
    const two = await startTestNode(log, 'two')
    expect(frames).toBeGreaterThan(2 * enough)
    expect(two.node.actors.get(0)!.metrics.replayEvents).toBeLessThan(20)
    expect((await two.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.committed).toBe(enough)
    await two.close()
  })

  it('is not waited for where the append that it stands on fails', async () => {
    const time = new ManualTime()
    const { log, one, live } = await given(rare, time)
    await live(enough)
    // With a lease, a hand-over ends with one more frame.
    await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'q', send: 1, messages: [body('x')] })
    await one.ask(receive('mail', 1))
    log.faults.onAppend(0, 'displaced')
    // No time goes by.
    await one.close()
    expect(one.node.actors.size).toBe(0)
  })

  it('is not stored where the next owner has the state already', async () => {
    const { log, part, one } = await given(rare)
    await one.close()
    const lease = { confirmedAtMs: () => performance.now(), ttlMs: 1e9, isLoadedAhead: () => true }
    const two = await own(new Node({ log, name: 'two', checkpoints: rare }), lease)
    await liveThrough(two, 'mail')(enough)
    await two.close()
    expect(await part.checkpoints.list()).toEqual([])
  })

  it('is one state also behind an owner that followed the log, and does not know what the one before stored last', async () => {
    const often = { ...rare, replayMsMax: limits.replayMsMax / 10 }
    const { log, part, one, live } = await given(often)
    await live(tenth / 3)
    const node = new Node({ log, name: 'two', checkpoints: often })
    const scope = Effect.runSync(Scope.make())
    await Effect.runPromise(node.loadAhead(0).pipe(Scope.provide(scope)))
    const first = (await part.checkpoints.list())[0] ?? 0
    for (let round = 0; round < 3; round++) await live(tenth / 3)
    const left = await waitUntil(async () => (await part.checkpoints.list()).find((seq) => seq > first))
    await waitUntil(async () => node.ahead.get(0)?.reachedSeq === (await part.state()).lastSeq)
    await one.close()
    const two = await own(node)
    await liveThrough(two, 'mail', 'q')(tenth / 3)
    await waitUntil(async () => {
      const named = await checkpointed(part)
      const unnamed = (await part.checkpoints.list()).filter((seq) => !named.includes(seq))
      return unnamed.length === 1 && unnamed[0]! > left
    })
    await two.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it('costs no state where there is little to replay', async () => {
    const { part, one, live } = await given(rare)
    await live(3)
    await one.close()
    expect(await part.checkpoints.list()).toEqual([])
  })

  it('is passed over where it is damaged, and the log replayed', async () => {
    const { log, part, one, live } = await given(rare)
    await live(enough)
    await one.close()
    const [seq] = await part.checkpoints.list()
    log.faults.damageCheckpoint(0, seq!)
    const troubles: string[] = []
    const two = await startTestNode(log, 'two', { onTrouble: (_, what) => void troubles.push(what) })
    expect(troubles).toEqual([expect.stringContaining(`checkpoint ${seq} is skipped`)])
    expect((await two.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.committed).toBe(enough)
    await two.close()
  })

  it('gives way to the next state that the log names', async () => {
    const { log, part, one, live } = await given(rare)
    await live(enough)
    await one.close()
    const [before] = await part.checkpoints.list()
    const two = await startTestNode(log, 'two', { checkpoints: { bytesMin: 1e12, ageMs: 3_600_000 } })
    // Its first frame is behind a state that the log does not name.
    const named = await waitUntil(async () => {
      const [first] = await checkpointed(part)
      return first
    })
    expect(named).toBeGreaterThan(before!)
    await waitUntil(async () => (await part.checkpoints.list()).join() === `${named}`)
    await two.close()
  })
})
