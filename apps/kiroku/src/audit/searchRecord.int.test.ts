import { parseFilter } from '@kiroku/audit'
import { answerFor, type RunningAuditor } from '@kiroku/auditor'
import { Auditor } from '@kiroku/auditor/testing'
import type { Log } from '@kiroku/log'
import { connect } from '@kiroku/nats'
import { encodeEnvelope } from '@kiroku/protocol'
import { temporaryFolder, waitUntil, withNats } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine } from '@kiroku/testkit/engine'
import { expect, it, onTestFinished } from 'vitest'
import { auditorBus } from '../auditor/auditorBus.ts'
import type { Settings } from '../config/settings.ts'
import { searchRecord } from './searchRecord.ts'

const nats = withNats()
const by = { name: 'ann', origin: 'test' }

/** A message in a log whose auditor has just begun, and reads nothing until it was asked `asks` times. */
const auditorBegins = async (asks: number) => {
  const engine = await startMemoryEngine({ partitions: 1 })
  onTestFinished(() => engine.close())
  const { path: dataDir, remove } = await temporaryFolder()
  onTestFinished(remove)
  await engine.node().request(0, [{ type: 'CreateQueue', queue: 'mail', config: {}, by }])
  const messages = [encodeEnvelope(new TextEncoder().encode('{}'))]
  await engine.node().request(0, [{ type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages }])
  const released = Promise.withResolvers<void>()
  const held: Log = {
    ...engine.log,
    meta: engine.log.meta,
    partition: async (n) => {
      await released.promise
      return engine.log.partition(n)
    },
  }
  const auditor = new Auditor({ log: held, dataDir, decodeCheckpoint, onTrouble: () => {} })
  const running = auditor.run()
  const connection = await connect({ servers: nats().url })
  let asked = 0
  const ask: RunningAuditor['ask'] = (method, question, asker) => {
    if (++asked === asks) released.resolve()
    return auditor.ask(method, question, asker)
  }
  await waitUntil(() => auditor.status.role === 'writer')
  answerFor(auditorBus(connection, engine.log.meta.name), { ask }, () => undefined)
  onTestFinished(async () => {
    released.resolve()
    await auditor.stop()
    await running
    await connection.close()
  })
  return (patienceMs: number) =>
    searchRecord(
      { settings: () => ({ dataDir }) as Settings },
      { log: engine.log, nats: connection, patienceMs },
      async ({ search, lacks }) => {
        const answer = await search({ filter: parseFilter('queue:mail', 0) })
        return { messages: answer.messages.length, lacks: lacks(answer) }
      },
    )
}

it('waits until an auditor that has just begun has read what is in the log', async () => {
  const found = await auditorBegins(2)
  expect(await found(20_000)).toEqual({ messages: 1, lacks: [] })
})

it('says what is not found where an auditor does not catch up in time', async () => {
  const found = await auditorBegins(Infinity)
  expect(await found(100)).toEqual({
    messages: 0,
    lacks: [expect.stringMatching(/^partition 0: read up to 0, \d+ records behind its log$/) as string],
  })
})
