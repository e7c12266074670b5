import { Replay } from '@kiroku/audit'
import { acts, ask, body, live, send, tester } from '@kiroku/audit/testing'
import { FeedHub } from '@kiroku/feed'
import { countsOf } from '@kiroku/partition'
import { type FeedUpdate, noCounts, type QueueCounts, sumCounts } from '@kiroku/protocol'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import fc from 'fast-check'
import { expect, it } from 'vitest'

/** The counts as a reader of the feed sees them. */
class Screen {
  readonly counts = new Map<string, QueueCounts>()
  snapshots = 0

  show(message: FeedUpdate | undefined): void {
    if (message === undefined) return
    if (message.kind === 'snapshot') {
      this.snapshots++
      this.counts.clear()
      for (const { queue, counts } of message.queues) this.counts.set(queue, counts)
    } else
      for (const { queue, change, ended } of message.queues)
        if (ended === true) this.counts.delete(queue)
        else this.counts.set(queue, sumCounts(this.counts.get(queue) ?? noCounts, change))
  }
}

/** What ends messages without naming them, and takes counts away with what they belonged to. */
const administer = async (engine: MemoryEngine): Promise<void> => {
  const about = { queue: 'mail', subscription: 'other', by: tester }
  await ask(engine, 0, { type: 'ResetSubscription', ...about, start: 'latest' })
  const messages = [body('a'), body('b')]
  const groups = ['g', 'h']
  await ask(engine, 0, { type: 'Enqueue', queue: 'mail', producer: 'q', send: 1, messages, groups })
  await ask(engine, 0, { type: 'DeleteSubscription', ...about })
  await ask(engine, 0, { type: 'CreateQueue', queue: 'gone', config: {}, by: tester })
  await send(engine, 0, 'gone', 'c')
  await ask(engine, 0, { type: 'DeleteQueue', queue: 'gone', by: tester })
}

const stateOf = {
  Available: 'available',
  Inflight: 'inflight',
  WaitingRetry: 'waitingRetry',
  Committed: 'committed',
  DLQ: 'deadLettered',
  Discarded: 'discarded',
} as const

it('what is shown first and what changes add up to the counts of the replay at the same record, for readers of any speed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(acts, { minLength: 5, maxLength: 40 }),
      fc.array(fc.constantFrom('wait', 'ask', 'lose'), { minLength: 20, maxLength: 20 }),
      fc.boolean(),
      async (does, asks, isAdministered) => {
        const engine = await startMemoryEngine({ partitions: 1 })
        try {
          const log = await engine.log.partition(0)
          const pass = await Replay.open(log, { decodeCheckpoint })
          const hub = new FeedHub('memory', 1)
          const readers = [1, 3, 7].map((every) => ({ every, screen: new Screen(), reader: hub.read() }))
          const summed = new Map<string, number>()
          let resumed: { screen: Screen; position: string } | undefined
          let [asked, standings] = [0, 0]
          const standing = (counts: Iterable<readonly [string, QueueCounts]>) =>
            Object.fromEntries([...counts].sort())
          const replayed = () => standing([...pass.state.queues.values()].map((q) => [q.name, countsOf(q)]))
          const follow = async (): Promise<void> => {
            const how = asks[asked++ % asks.length]
            if (how === 'wait') return
            const since = hub.seqOf(0)
            const news = await ask(engine, 0, { type: 'FollowPartition', follower: 'reader', since })
            if (how === 'lose') return
            hub.accept(news)
            if (news.kind === 'standing') standings++
            await pass.run(news.seq)
            const snapshot = hub.snapshot(undefined).queues as { queue: string; counts: QueueCounts }[]
            expect(standing(snapshot.map(({ queue, counts }) => [queue, counts]))).toEqual(replayed())
            if (news.kind === 'changes')
              for (const { queue, transitions } of news.queues)
                for (const { from, to, count } of transitions) {
                  summed.set(`${queue} ${to}`, (summed.get(`${queue} ${to}`) ?? 0) + count)
                  summed.set(`${queue} ${from}`, (summed.get(`${queue} ${from}`) ?? 0) - count)
                }
            for (const { every, screen, reader } of readers)
              if (asked % every === 0) screen.show(reader.take())
            if (resumed === undefined && asked > 4) {
              const screen = new Screen()
              screen.show(hub.snapshot(undefined))
              resumed = { screen, position: hub.progress.position }
            }
          }
          asks[0] = 'ask'
          await follow()
          await live(engine, does, follow)
          if (isAdministered) await administer(engine)
          asks.fill('ask')
          await follow()
          for (const { screen, reader } of readers) {
            screen.show(reader.take())
            expect(standing(screen.counts)).toEqual(replayed())
          }
          if (resumed !== undefined) {
            const { screen, position } = resumed
            screen.show(hub.read({ position }).take())
            expect(standing(screen.counts)).toEqual(replayed())
          }
          if (standings > 1) return
          expect(readers.map(({ screen }) => screen.snapshots)).toEqual([1, 1, 1])
          expect(resumed?.screen.snapshots ?? 1).toBe(1)
          // Each change of a count is a transition that was told, but where generations went with their counts.
          if (!isAdministered)
            for (const [state, name] of Object.entries(stateOf))
              expect([state, summed.get(`mail ${state}`) ?? 0]).toEqual([
                state,
                pass.state.names.get('mail') === undefined
                  ? 0
                  : countsOf(pass.state.names.get('mail')!)[name],
              ])
        } finally {
          await engine.close()
        }
      },
    ),
    { seed: 20_261_122, numRuns: 60 },
  )
})
