/**
 * The process of an auditor, which `startAuditor` forks. It has connections of its own, and goes when its engine tells it
 * to, or is gone.
 */
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import { isKirokuError, KirokuError, type WireError } from '@kiroku/protocol'
import { Auditor } from './Auditor.ts'
import type {
  AuditorMethod,
  AuditorMethods,
  AuditorSetup,
  FromAuditor,
  ToAuditor,
} from './AuditorProtocol.ts'

const statusMs = 500

const tell = (message: FromAuditor): void => {
  // An engine that ends meanwhile closes the channel; the auditor ends with it, and says nothing more.
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}

const start = async ({ nats: target, log: name, dataDir }: AuditorSetup): Promise<Auditor> => {
  const [nats, reader] = await Promise.all([connect(target), connect(target)])
  const log = await openLog(nats, { name, reader })
  const auditor = new Auditor({
    log,
    dataDir,
    onTrouble: (partition, error) =>
      tell({
        type: 'log',
        level: 'warn',
        event: 'auditor cannot follow',
        fields: { partition, error: error instanceof Error ? error.message : String(error) },
      }),
  })
  const telling = setInterval(() => tell({ type: 'status', status: auditor.status }), statusMs)
  void auditor.run().then(
    async () => {
      clearInterval(telling)
      await log.close()
      await Promise.all([nats.close(), reader.close()])
      process.exit(0)
    },
    (error: unknown) => fail(error),
  )
  return auditor
}

const fail = (error: unknown): void => {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  tell({ type: 'log', level: 'error', event: 'auditor failed', fields: { error: message } })
  // What was just told needs a moment to leave.
  setImmediate(() => process.exit(1))
}

const wire = (error: unknown): WireError =>
  (isKirokuError(error)
    ? error
    : new KirokuError('Internal', error instanceof Error ? error.message : String(error))
  ).toWire()

let auditor: Promise<Auditor> | undefined

const answer = async (id: number, method: AuditorMethod, asked: unknown): Promise<void> => {
  try {
    if (auditor === undefined) throw new KirokuError('NoAuditor', 'the auditor has not begun')
    const running = await auditor
    tell({
      type: 'answer',
      id,
      ok: await running.ask(method, asked as AuditorMethods[AuditorMethod]['asked']),
    })
  } catch (error) {
    tell({ type: 'answer', id, error: wire(error) })
  }
}

const stop = (): void => {
  if (auditor === undefined) process.exit(0)
  auditor.then((running) => running.stop()).catch(fail)
}

process.on('message', (message: ToAuditor) => {
  if (message.type === 'stop') stop()
  else if (message.type === 'ask') void answer(message.id, message.method, message.asked)
  else {
    auditor = start(message.setup)
    auditor.catch(fail)
  }
})
process.on('disconnect', stop)
// A terminal sends its signals to the whole group; the engine says when to stop.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
