import { createMemoryLog, decodeRecord } from '@kiroku/log'
import { snapshot, stateHash } from '@kiroku/partition'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { describe, expect, it } from 'vitest'
import { Node } from '../Node.ts'
import { limits } from '../limits.ts'
import { alteredLog } from '../testing/alteredLog.ts'
import { by, liveThrough, startTestNode } from '../testing/startTestNode.ts'
import type { Loaded } from './StateLoad.ts'
import { AheadTurns, StateAhead } from './StateAhead.ts'
import { load } from './load.ts'

const given = async () => {
  const log = createMemoryLog({ partitions: 1 })
  const part = await log.partition(0)
  const time = new ManualTime()
  const one = await startTestNode(log, 'one')
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  const live = liveThrough(one, 'mail')
  const reads: number[] = []
  const asked: string[] = []
  /** The log, where it was read from, and what else was asked of it. */
  const watched = alteredLog(log, part, {
    read: (from = 1, to?: number) => {
      reads.push(from)
      return part.read(from, to)
    },
    state: () => {
      asked.push('state')
      return part.state()
    },
  })
  const turns = new AheadTurns(time)
  const ahead = new StateAhead(await watched.partition(0), time, turns)
  /** The end of the log, as the fence of an owner that takes it over. */
  const end = async () => {
    const { lastSeq: seq } = await part.state()
    const { data } = (await part.get(seq))!
    return { seq, hash: decodeRecord(data).hash }
  }
  return { log, part, watched, reads, asked, time, one, live, ahead, end }
}

/** What a loaded state is, to compare. */
const comparable = ({ state, largeBodies: _, wasFollowing: __, events: ___, ...rest }: Loaded) => ({
  ...rest,
  state: stateHash(snapshot(state)),
})

/** Limits that a test has other than they are. */
const vary = (other: { followRecords?: number; followBehindMax?: number }) => Object.assign(limits, other)

describe('a state that is loaded ahead', () => {
  it('is the one that a load makes, however much was written meanwhile', async () => {
    const { part, one, live, ahead, end } = await given()
    await live(20)
    await ahead.load()
    await live(20)
    const fence = await end()
    const taken = await ahead.take(fence)
    const loaded = await load(part, fence.seq)
    expect(comparable(taken!)).toEqual(comparable(loaded))
    expect(taken!.events).toBeLessThan((2 / 3) * loaded.events)
    await ahead.close()
    await one.close()
  })

  it('follows the log when it hears of something new, not more often than it should, and asks nothing at rest', async () => {
    const { reads, asked, time, one, live, ahead, end } = await given()
    await live(5)
    await ahead.load()
    reads.length = asked.length = 0
    await live(5)
    const { seq } = await end()
    await time.advance(limits.followMs - 1)
    expect(reads).toEqual([])
    expect(ahead.behind).toBeGreaterThan(0)
    await time.advance(1)
    expect(ahead).toMatchObject({ reachedSeq: seq, behind: 0 })
    expect(reads.length).toBe(1)
    await time.advance(100 * limits.followMs)
    expect(reads.length).toBe(1)
    expect(asked).toEqual([])
    await ahead.close()
    await one.close()
  })

  it('is read up to the end at once when an ownership is about to begin', async () => {
    const { asked, one, live, ahead, end } = await given()
    await live(5)
    await ahead.load()
    await live(5)
    const { seq } = await end()
    asked.length = 0
    ahead.expect()
    expect((await ahead.logEnd)!.lastSeq).toBe(seq)
    await waitUntil(() => ahead.behind === 0)
    expect(ahead.reachedSeq).toBe(seq)
    expect(asked).toEqual(['state'])
    await ahead.close()
    await one.close()
  })

  it('reads a long part of the log in batches', async () => {
    const { time, one, live, ahead, end } = await given()
    await ahead.load()
    const records = limits.followRecords
    vary({ followRecords: 10 })
    await live(10)
    const reached = ahead.reachedSeq!
    await time.advance(limits.followMs)
    expect(ahead.reachedSeq).toBe(reached + 10)
    await time.advance(10 * limits.followMs)
    expect(ahead.reachedSeq).toBe((await end()).seq)
    vary({ followRecords: records })
    await ahead.close()
    await one.close()
  })

  it('begins with a newer stored state where it is too far behind', async () => {
    const { log, part, reads, time, one, live, ahead, end } = await given()
    await live(2)
    await ahead.load()
    const behindMax = limits.followBehindMax
    vary({ followBehindMax: 20 })
    await live(20)
    await one.close()
    const policy = { bytesMin: 1e9, ageMs: 1e9, replayMsMax: 0.001 }
    const two = await startTestNode(log, 'two', { checkpoints: policy })
    await liveThrough(two, 'mail', 'q')(1)
    await waitUntil(async () => (await part.checkpoints.list()).length > 0)
    const [stored] = await part.checkpoints.list()
    reads.length = 0
    await time.advance(limits.followMs)
    await waitUntil(() => ahead.reachedSeq !== undefined && ahead.behind === 0)
    expect(Math.min(...reads)).toBeGreaterThan(stored!)
    expect(await ahead.take(await end())).toBeDefined()
    vary({ followBehindMax: behindMax })
    await ahead.close()
    await two.close()
  })

  it('is loaded again after a while where that failed', async () => {
    const { log, time, one, live, ahead, end } = await given()
    await live(5)
    log.faults.down(true)
    await expect(ahead.load()).rejects.toThrow()
    log.faults.down(false)
    expect(ahead.reachedSeq).toBeUndefined()
    await time.advance(limits.followRetryMsMin)
    await waitUntil(() => ahead.reachedSeq !== undefined)
    expect(await ahead.take(await end())).toBeDefined()
    await ahead.close()
    await one.close()
  })

  it('is loaded again by the owner where the log is not the one that was read', async () => {
    const { log, one, live, ahead, end } = await given()
    await live(5)
    await ahead.load()
    const { seq } = await end()
    await live(1)
    const fence = await end()
    log.faults.damage(0, seq + 1)
    expect(await ahead.take(fence)).toBeUndefined()
    await ahead.close()
    await one.close()
  })

  it('is void where the log lost records that were part of it, also where others have their numbers now', async () => {
    const { log, part, one, live, ahead, end } = await given()
    await live(5)
    const { seq } = await end()
    await live(2)
    await ahead.load()
    const { seq: reached } = await end()
    await one.close()
    log.faults.loseTail(0, reached - seq)
    const two = await startTestNode(log, 'two')
    while ((await part.state()).lastSeq < reached) await liveThrough(two, 'mail', 'q')(1)
    const stored = await part.get(reached)
    expect(await ahead.take({ seq: reached, hash: decodeRecord(stored!.data).hash })).toBeUndefined()
    await ahead.close()
    await two.close()
  })

  it('is given once: an ownership that follows loads the log', async () => {
    const { one, live, ahead, end } = await given()
    await live(5)
    await ahead.load()
    expect(await ahead.take(await end())).toBeDefined()
    expect(await ahead.take(await end())).toBeUndefined()
    await ahead.close()
    await one.close()
  })

  it('is what a node begins with that loaded the partition while another served it', async () => {
    const { watched, reads, one, live } = await given()
    await live(20)
    const two = new Node({ log: watched, name: 'two' })
    const scope = Effect.runSync(Scope.make())
    await Effect.runPromise(two.loadAhead(0).pipe(Scope.provide(scope)))
    await live(1)
    await one.close()
    reads.length = 0
    Effect.runFork(two.run(0).pipe(Scope.provide(scope)))
    await waitUntil(() => two.actors.get(0)?.life === 'Active')
    const reply = await two.request(0, [{ type: 'DescribeQueue', queue: 'mail' }])
    expect(reply.answers[0]).toMatchObject({ ok: { counts: { committed: 21 } } })
    expect(Math.min(...reads)).toBeGreaterThan(20)
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})
