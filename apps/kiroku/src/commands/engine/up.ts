import { resolve as resolvePath } from 'node:path'
import type { ManagedServer } from '@kiroku/nats-server'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { shellWord } from '../../cli/shellWord.ts'
import { dataDirFlag } from '../../config/dataDirFlag.ts'
import { keepPrivate } from '../../config/keepPrivate.ts'
import { queueSections } from '../../config/queueSections.ts'
import type { Settings } from '../../config/settings.ts'
import { defaultHttpAddresses, parseHttpAddress } from '../../serve/HttpAddress.ts'
import { makeLogger } from '../../serve/Logger.ts'
import { keepRunFile } from '../../serve/RunFile.ts'
import { applyQueues } from '../../serve/applyQueues.ts'
import { keepAddress, type KeptAddress } from '../../serve/keepAddress.ts'
import { runningEngine } from '../../serve/runningEngine.ts'
import { selfCommand } from '../../serve/selfCommand.ts'
import { usualSqs } from '../../serve/sqsDoorsOf.ts'
import { startEngine, type RunningEngine } from '../../serve/startEngine.ts'
import { natsPortUsual, startNats } from '../../serve/startNats.ts'
import { tellOfConsole } from '../../serve/tellOfConsole.ts'
import { untilStopped } from '../../serve/untilStopped.ts'
import { runShop } from './runShop.ts'

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
      for (const line of banner({
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

interface Started {
  readonly engine: RunningEngine
  readonly server: ManagedServer
  readonly settings: Settings
  readonly dataDir: string
  readonly kept: KeptAddress
  readonly seconds: string
  readonly isSample: boolean
  /** How to call a command in this folder. */
  readonly call: (command: string) => string
}

const banner = (started: Started): string[] => {
  const { engine, server, settings, dataDir, kept, seconds, isSample, call } = started
  const { apiUrl, sqs, console, partitions } = engine
  const building =
    console?.building() === true ? '  (being built; the page loads by itself when it is ready)' : ''
  const taken = kept.taken.map(
    ({ address, by }) => `             (port ${address.port} is taken by ${by}; --http HOST:PORT chooses)`,
  )
  const natsMoved =
    settings.natsPort === undefined && server.port !== natsPortUsual
      ? [
          `             (this folder's port: ${natsPortUsual} was taken, or it had this one before; --nats-port N chooses)`,
        ]
      : []
  return [
    `Kiroku is up (${seconds} s): log ${settings.log}, ${partitions} partitions`,
    ...(console === undefined ? [] : [`  console    ${console.url}${building}`]),
    `  HTTP API   ${apiUrl}  (docs: ${apiUrl}/docs, metrics: ${apiUrl}/metrics)`,
    ...taken,
    ...(sqs === undefined ? [] : sqsLines(sqs, settings.sqs)),
    `  NATS       ${server.url}  (nats-server ${server.version}, sync_interval ${server.syncInterval})`,
    ...natsMoved,
    ...(server.isClosed
      ? [
          `             (yours alone: your programs find the key, ${call('client add NAME')} lets others in)`,
          `             nats --context ${shellWord(server.access.contextFile)}`,
        ]
      : [
          '             (open to every user of this machine until all engines of this folder are stopped: an earlier version started it)',
        ]),
    `  data       ${dataDir}`,
    '',
    isSample
      ? `A sample shop is at work. Look at the console, or in another terminal of this folder:  ${call('status')}`
      : `Next, in another terminal of this folder:  ${call('queue create mail')}`,
    'Ctrl-C drains and stops.',
  ]
}

const sqsLines = ({ url, hasKeys }: NonNullable<RunningEngine['sqs']>, set = 'auto'): string[] => [
  `  SQS        ${url}  (${hasKeys ? 'for callers who sign with a key' : 'for every program of this machine; --sqs-keys-file FILE asks for keys'})`,
  ...(set === 'auto' && !url.endsWith(`:${usualSqs.port}`)
    ? [`             (port ${usualSqs.port} was taken; --sqs HOST:PORT chooses)`]
    : []),
]
