import { setImmediate as nextTick } from 'node:timers/promises'
import type { RecordQuestion, RecordQuestions } from '@kiroku/audit'
import { isKirokuError, KirokuError } from '@kiroku/protocol'
import type { AuditedLog } from './AuditedLog.ts'
import { Auditor, type AuditorOptions } from './Auditor.ts'
import type { FromAuditor, ToAuditor } from './AuditorProtocol.ts'
import { splitAnswer } from './splitAnswer.ts'
import { wireOf } from './wireOf.ts'

const statusMs = 500

/** What an auditor's process opens. */
export interface OpenedLog extends AuditedLog, Pick<AuditorOptions, 'anchors'> {
  readonly close: () => Promise<unknown>
}

/**
 * Runs an auditor in this process, which `startAuditor` forked, until the engine stops it or is gone.
 * @param open opens the log with the setup given to `startAuditor`
 */
export const serveAuditor = (open: (setup: unknown) => Promise<OpenedLog>): void => {
  let auditor: Promise<Auditor> | undefined
  const start = async (setup: unknown): Promise<Auditor> => {
    const { close, ...audited } = await open(setup)
    const running = new Auditor({
      ...audited,
      onTrouble: (partition, error) =>
        tell({
          type: 'log',
          level: 'warn',
          event: 'auditor cannot follow',
          fields: { partition, error: error instanceof Error ? error.message : String(error) },
        }),
      onAnchorTrouble: (error) =>
        tell({
          type: 'log',
          level: 'error',
          event: 'anchors cannot be written',
          fields: {
            file: audited.anchors?.file,
            error: error instanceof Error ? error.message : String(error),
            help: 'keep the file elsewhere and begin another, or make room',
          },
        }),
    })
    const telling = setInterval(() => tell({ type: 'status', status: running.status }), statusMs)
    running
      .run()
      .then(async () => {
        clearInterval(telling)
        await close()
        process.exit(0)
      })
      .catch(fail)
    return running
  }
  const underWay = new Map<number, AbortController>()
  const answer = async ({
    id,
    method,
    asked,
    principal,
  }: Extract<ToAuditor, { type: 'ask' }>): Promise<void> => {
    const gone = new AbortController()
    underWay.set(id, gone)
    try {
      if (auditor === undefined) throw new KirokuError('NoAuditor', 'the auditor has not started yet')
      const running = await auditor
      const ok = await running.ask(method, asked as RecordQuestions[RecordQuestion]['asked'], {
        principal,
        signal: gone.signal,
      })
      const { parts, rest } = splitAnswer(ok)
      for (const part of parts) {
        tell({ type: 'part', id, part })
        await nextTick()
      }
      tell({ type: 'answer', id, ok: rest })
    } catch (error) {
      tell({ type: 'answer', id, error: wireOf(error) })
    } finally {
      underWay.delete(id)
    }
  }
  const stop = (): void => {
    if (auditor === undefined) process.exit(0)
    auditor.then((running) => running.stop()).catch(fail)
  }
  process.on('message', (message: ToAuditor) => {
    if (message.type === 'stop') stop()
    else if (message.type === 'ask') void answer(message)
    else if (message.type === 'cancel') underWay.get(message.id)?.abort()
    else {
      auditor = start(message.setup)
      auditor.catch(fail)
    }
  })
  process.on('disconnect', stop)
  // A terminal signals the whole process group; the engine says when to stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
}

const tell = (message: FromAuditor): void => {
  // An engine that ends meanwhile closes the channel; the auditor then ends silently.
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}

const fail = (error: unknown): void => {
  const message =
    isKirokuError(error) || !(error instanceof Error) ? String(error) : (error.stack ?? error.message)
  tell({ type: 'log', level: 'error', event: 'auditor failed', fields: { error: message } })
  // The last messages need a moment to be sent.
  setImmediate(() => process.exit(1))
}
