import { resolve as resolvePath } from 'node:path'
import { startManaged } from '@kiroku/nats-server'
import type { Invocation } from '../cli/CommandSpec.ts'
import { queueSections } from '../config/queueSections.ts'
import { applyQueues } from '../serve/applyQueues.ts'
import { downloadBar } from '../serve/downloadBar.ts'
import { defaultHttpAddresses, parseHttpAddress } from '../serve/HttpAddress.ts'
import { keepRunFile } from '../serve/RunFile.ts'
import { makeLogger } from '../serve/Logger.ts'
import { startEngine } from '../serve/startEngine.ts'
import { untilStopped } from '../serve/untilStopped.ts'

/** Where everybody looks for NATS. */
const natsPortUsual = 4222

/** How the reader of our lines calls us: in a clone through npm. */
const self = process.env['npm_lifecycle_event'] === undefined ? 'kiroku' : 'npm run kiroku --'

export const run = async ({ settings: resolve, configFile, out, signal }: Invocation): Promise<void> => {
  const startedMs = performance.now()
  const file = configFile()
  const settings = resolve(file)
  const queues = queueSections(file)
  const logger = makeLogger({ format: settings.logFormat, level: settings.logLevel })
  const dataDir = resolvePath(settings.dataDir)
  const http = settings.http === undefined ? defaultHttpAddresses : [parseHttpAddress(settings.http)]
  const download = downloadBar()
  const server = await startManaged({
    dataDir,
    ...(settings.natsPort === undefined ? { portPreferred: natsPortUsual } : { port: settings.natsPort }),
    ...(settings.natsServer === undefined ? {} : { binary: settings.natsServer }),
    fetch: {
      ...(settings.natsRelease === undefined ? {} : { release: settings.natsRelease }),
      ...(settings.natsVersion === undefined ? {} : { version: settings.natsVersion }),
      onBytes: download.update,
      onProgress: (what) => {
        download.stop()
        out.note(what)
      },
    },
  }).finally(download.stop)
  let letGo: () => void = () => {}
  try {
    const engine = await startEngine({
      nats: { servers: server.url, name: `kiroku-${process.pid}` },
      disk: () => server.disk(),
      settings: { ...settings, dataDir },
      logger,
      http,
      note: (line) => out.note(line),
    })
    await untilStopped(engine, signal, logger, async () => {
      await applyQueues(engine.client, queues, logger)
      const apiUrl = engine.apiUrl!
      letGo = keepRunFile(dataDir, { natsUrl: server.url, apiUrl, pid: process.pid, log: settings.log })
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
      out.line(`Kiroku is up (${seconds} s): log ${settings.log}, ${engine.partitions} partitions`)
      out.line(`  HTTP API   ${apiUrl}`)
      out.line(`  API docs   ${apiUrl}/docs`)
      out.line(`  metrics    ${apiUrl}/metrics`)
      out.line(
        `  NATS       ${server.url}  (nats-server ${server.version}, sync_interval ${server.syncInterval})`,
      )
      if (settings.natsPort === undefined && server.port !== natsPortUsual)
        out.line(
          `             (this folder's port: ${natsPortUsual} was taken, or it had this one before; --nats-port N chooses)`,
        )
      out.line(`  data       ${dataDir}`)
      out.line()
      out.line(`Next, in another terminal of this folder:  ${self} queue create mail`)
      out.line('Ctrl-C drains and stops.')
      void engine.consoleUrl.then((url) => {
        if (url === undefined) return
        out.line(`console: ${url}`)
        out.result({ console: url })
      })
      const { url: nats, version } = server
      out.result({
        ready: true,
        nats,
        api: apiUrl,
        dataDir,
        natsVersion: version,
        pid: process.pid,
        log: settings.log,
      })
    })
  } finally {
    letGo()
    await server.release()
  }
}
