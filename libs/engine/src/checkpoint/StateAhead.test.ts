import { createMemoryLog } from '@kiroku/log'
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
import { LoadTurns } from './LoadTurns.ts'
import type { Loaded } from './StateLoad.ts'
import { StateAhead } from './StateAhead.ts'
import { load } from './load.ts'

const given = async () => {
  const log = createMemoryLog({ partitions: 1 })
  const part = await log.partition(0)
  const time = new ManualTime()
  const one = await startTestNode(log, 'one')
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  const live = liveThrough(one, 'mail')
  const reads: number[] = []
  /** The log, and where it was read from. */
  const watched = alteredLog(log, part, {
    read: (from = 1, to?: number) => {
      reads.push(from)
      return part.read(from, to)
    },
  })
  const ahead = new StateAhead(await watched.partition(0), time, new LoadTurns(time))
  const lastSeq = async () => (await part.state()).lastSeq
  return { log, part, watched, reads, time, one, live, ahead, lastSeq }
}

/** What a loaded state is, to compare. */
const comparable = ({ state, largeBodies: _, ...rest }: Loaded) => ({
  ...rest,
  state: stateHash(snapshot(state)),
})

describe('a state that is loaded ahead', () => {
  it('is the one that a load makes, however much was written meanwhile', async () => {
    const { part, one, live, ahead, lastSeq } = await given()
    await live(20)
    await ahead.load()
    await live(20)
    const seq = await lastSeq()
    const taken = await ahead.take(seq)
    expect(comparable(taken!)).toEqual(comparable(await load(part, seq)))
    await ahead.close()
    await one.close()
  })

  it('stays near the end of the log by itself', async () => {
    const { reads, time, one, live, ahead, lastSeq } = await given()
    await live(5)
    await ahead.load()
    await live(5)
    const before = reads.length
    await time.advance(limits.aheadPollMs)
    await waitUntil(() => reads.length > before)
    const seq = await lastSeq()
    expect(await ahead.take(seq)).toBeDefined()
    expect(reads.length).toBe(before + 1)
    await ahead.close()
    await one.close()
  })

  it('is loaded again by the owner where the log is not the one that was read', async () => {
    const { log, one, live, ahead, lastSeq } = await given()
    await live(5)
    await ahead.load()
    log.faults.damage(0, await lastSeq())
    await live(1)
    expect(await ahead.take(await lastSeq())).toBeUndefined()
    await ahead.close()
    await one.close()
  })

  it('is given once: an ownership that follows loads the log', async () => {
    const { one, live, ahead, lastSeq } = await given()
    await live(5)
    await ahead.load()
    expect(await ahead.take(await lastSeq())).toBeDefined()
    expect(await ahead.take(await lastSeq())).toBeUndefined()
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
