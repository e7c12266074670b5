import { resolve as resolvePath } from 'node:path'
import type { ManagedServer } from '@kiroku/nats-server'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { dataDirFlag } from '../../config/dataDirFlag.ts'
import { keepPrivate } from '../../config/keepPrivate.ts'
import { queueSections } from '../../config/queueSections.ts'
import { defaultHttpAddresses, parseHttpAddress } from '../../serve/HttpAddress.ts'
import { makeLogger } from '../../serve/Logger.ts'
import { keepRunFile } from '../../serve/RunFile.ts'
import { applyQueues } from '../../serve/applyQueues.ts'
import { keepAddress } from '../../serve/keepAddress.ts'
import { runningEngine } from '../../serve/runningEngine.ts'
import { selfCommand } from '../../serve/selfCommand.ts'
import { startEngine } from '../../serve/startEngine.ts'
import { startNats } from '../../serve/startNats.ts'
import { tellOfConsole } from '../../serve/tellOfConsole.ts'
import { untilStopped } from '../../serve/untilStopped.ts'
import { runShop } from './runShop.ts'
import { upBanner } from './upBanner.ts'

export const run = async ({
  settings: resolve,
  configFile,
  flag,
  out,
  signal,
}: Invocation): Promise<void> => {
  const startedMs = performance.now()
  const file = configFile()
  const settings = resolve(file)
  keepPrivate()
  const queues = queueSections(file)
  const logger = makeLogger({ format: settings.logFormat, level: settings.logLevel })
  const dataDir = resolvePath(settings.dataDir)
  const { sqs = 'auto' } = settings
  const addresses = settings.http === undefined ? defaultHttpAddresses : [parseHttpAddress(settings.http)]
  const kept = await keepAddress({ ...settings, dataDir }, addresses)
  let server: ManagedServer | undefined
  let letGo: () => void = () => {}
  try {
    const joined = await runningEngine(dataDir)
    if (joined !== undefined) out.note(`joining the engine that already runs here (process ${joined.pid})`)
    server = await startNats(settings, dataDir, out)
    const { url: nats, version, disk } = server
    const engine = await startEngine({
      nats: { servers: nats, name: `kiroku-${process.pid}`, ...server.access.node },
      disk,
      settings: { ...settings, dataDir, sqs },
      logger,
      kept,
      note: (line) => out.note(line),
    })
    const running = server
    await untilStopped(engine, signal, logger, async () => {
      await applyQueues(engine.client, queues, logger)
      if (flag('sample')) await runShop(engine.client, signal)
      const api = engine.apiUrl!
      letGo = keepRunFile(dataDir, {
        natsUrl: nats,
        serverFolder: running.access.serverFolder,
        apiUrl: api,
        ...(settings.httpTlsCert === undefined ? {} : { apiCert: resolvePath(settings.httpTlsCert) }),
        pid: process.pid,
        log: settings.log,
      })
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
      for (const line of upBanner({
        engine,
        server: running,
        settings,
        dataDir,
        kept,
        seconds,
        isSample: flag('sample'),
        call: (command) => `${selfCommand()} ${command}${dataDirFlag(settings, file)}`,
      }))
        out.line(line)
      tellOfConsole(engine.console, out)
      out.result({
        ready: true,
        nats,
        api,
        ...(engine.sqs === undefined ? {} : { sqs: engine.sqs.url }),
        dataDir,
        natsVersion: version,
        pid: process.pid,
        log: settings.log,
        ...(joined === undefined ? {} : { joined: joined.pid }),
      })
    })
  } finally {
    letGo()
    await kept.release()
    await server?.release()
  }
}
