import { diskBehind } from '@kiroku/nats-server'
import { isKirokuError } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { keepPrivate } from '../../config/keepPrivate.ts'
import { queueSections } from '../../config/queueSections.ts'
import { parseHttpAddress } from '../../serve/HttpAddress.ts'
import { makeLogger } from '../../serve/Logger.ts'
import { applyQueues } from '../../serve/applyQueues.ts'
import { keepAddress } from '../../serve/keepAddress.ts'
import { givenNats } from '../../serve/natsTarget.ts'
import { startEngine } from '../../serve/startEngine.ts'
import { tellOfConsole } from '../../serve/tellOfConsole.ts'
import { untilStopped } from '../../serve/untilStopped.ts'

export const run = async ({ settings: resolve, configFile, out, signal }: Invocation): Promise<void> => {
  const file = configFile()
  const settings = resolve(file)
  keepPrivate()
  const queues = queueSections(file)
  const logger = makeLogger({ format: settings.logFormat, level: settings.logLevel })
  const nats = givenNats(settings)
  const servers = [nats.servers].flat().join(',')
  const kept = await keepAddress(
    settings,
    settings.http === undefined ? [] : [parseHttpAddress(settings.http)],
  )
  const engine = await startEngine({
    nats,
    disk: () => diskBehind(settings.dataDir, servers),
    settings,
    logger,
    kept,
    note: (line) => out.note(line),
    waitsUntil: signal,
  }).catch((error: unknown) => {
    if (isKirokuError(error) && error.id === 'Stopped') return undefined
    throw error
  })
  if (engine === undefined) return
  await untilStopped(engine, signal, logger, async () => {
    await applyQueues(engine.client, queues, logger)
    const { apiUrl, sqs, console, partitions } = engine
    out.line(`serving log ${settings.log} (${partitions} partitions) on ${servers}`)
    if (console !== undefined) out.line(`  console    ${console.url}`)
    if (apiUrl !== undefined) out.line(`  HTTP API   ${apiUrl}  (docs: ${apiUrl}/docs)`)
    if (sqs !== undefined) out.line(`  SQS        ${sqs.url}`)
    tellOfConsole(console, out)
    out.result({
      ready: true,
      nats: servers,
      api: apiUrl,
      ...(sqs === undefined ? {} : { sqs: sqs.url }),
      log: settings.log,
      partitions,
      pid: process.pid,
    })
  })
}
