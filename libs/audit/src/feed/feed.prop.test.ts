import fc from 'fast-check'
import { countsOf, type QueueCounts } from '@kiroku/partition'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { expect, it } from 'vitest'
import { LogPass } from '../LogPass.ts'
import { acts, live } from '../TestLives.ts'
import { ask, body, lastFrame, send, tester } from '../TestRecord.ts'
import type { FeedMessage } from './FeedMessage.ts'
import { FeedHub } from './FeedHub.ts'
import { sumCounts } from '../sumCounts.ts'
import { noCounts, TransitionCounts } from './TransitionCounts.ts'

/** What somebody who reads the feed makes of it. */
class Screen {
  readonly counts = new Map<string, QueueCounts>()
  snapshots = 0

  show(message: FeedMessage | undefined): void {
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

it('what is shown first and what changes add up to the counts of the replay, for readers of any speed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(acts, { minLength: 5, maxLength: 40 }),
      fc.array(fc.nat(6), { minLength: 20, maxLength: 20 }),
      fc.boolean(),
      async (does, steps, isAdministered) => {
        const engine = await startMemoryEngine({ partitions: 1 })
        try {
          await live(engine, does)
          if (isAdministered) await administer(engine)
          const { seq: lastSeq } = await lastFrame(engine.log, 0)
          const counts = new TransitionCounts(0)
          const log = await engine.log.partition(0)
          const pass = await LogPass.open(log, { decodeCheckpoint, listeners: [counts] })
          const hub = new FeedHub('memory', 1)
          const readers = [1, 3, 7].map((every) => ({ every, screen: new Screen(), reader: hub.read() }))
          const summed = new Map<string, number>()
          let resumed: { screen: Screen; position: string } | undefined
          for (let i = 0; pass.seq < lastSeq; i++) {
            await pass.run(Math.min(lastSeq, pass.seq + (steps[i % steps.length] ?? 0)))
            if (i > 1_000) await pass.run()
            const news = counts.take(pass.state, pass.seq, lastSeq)
            if (news === undefined) continue
            hub.accept(news)
            if (news.kind === 'changes')
              for (const { queue, transitions } of news.queues)
                for (const { from, to, count } of transitions) {
                  summed.set(`${queue} ${to}`, (summed.get(`${queue} ${to}`) ?? 0) + count)
                  summed.set(`${queue} ${from}`, (summed.get(`${queue} ${from}`) ?? 0) - count)
                }
            for (const { every, screen, reader } of readers) if (i % every === 0) screen.show(reader.take())
            if (resumed === undefined && i === 4) {
              const screen = new Screen()
              screen.show(hub.snapshot(undefined))
              resumed = { screen, position: hub.place.position }
            }
          }
          const expected = new Map([...pass.state.queues.values()].map((q) => [q.name, countsOf(q)]))
          for (const { screen, reader } of readers) {
            screen.show(reader.take())
            expect(screen.snapshots).toBe(1)
            expect(Object.fromEntries(screen.counts)).toEqual(Object.fromEntries(expected))
          }
          if (resumed !== undefined) {
            const { screen, position } = resumed
            screen.show(hub.read({ position }).take())
            expect(screen.snapshots).toBe(1)
            expect(Object.fromEntries(screen.counts)).toEqual(Object.fromEntries(expected))
          }
          // Each change of a count is a transition that was told, but where generations went with their counts.
          if (!isAdministered)
            for (const [state, name] of Object.entries(stateOf))
              expect([state, summed.get(`mail ${state}`) ?? 0]).toEqual([
                state,
                expected.get('mail')?.[name] ?? 0,
              ])
        } finally {
          await engine.close()
        }
      },
    ),
    { numRuns: 60 },
  )
}, 60_000)
