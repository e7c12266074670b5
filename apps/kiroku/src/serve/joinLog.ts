import { finalizeCluster } from '@kiroku/cluster'
import { KirokuError } from '@kiroku/protocol'
import { openEngineLog, type EngineLog, type LogSetup } from '../log/openEngineLog.ts'
import type { Logger } from './Logger.ts'
import { startNode, type RunningNode } from './startNode.ts'
import { watchConnection, type Connection } from './watchConnection.ts'
import { untilNats, type Waiting } from './untilNats.ts'

/** A node that takes part in its log. */
export interface Joined extends EngineLog {
  readonly connection: Connection
  readonly running: RunningNode
  /** Hands over, leaves, and closes the log and its connections. */
  close(): Promise<void>
}

/**
 * Connects to NATS, opens the log and joins its nodes. What was opened before a failure is closed again.
 * Errors: those of `openEngineLog` and `startNode`; `Stopped` when waiting was ended.
 *
 * @param waiting how to wait for a NATS that is not there yet; absent: that is an error
 */
export const joinLog = (setup: LogSetup, waiting: Waiting | undefined): Promise<Joined> =>
  waiting === undefined
    ? joinOnce(setup, undefined)
    : untilNats(() => joinOnce(setup, waiting.signal), waiting, setup.logger)

const joinOnce = async (setup: LogSetup, signal: AbortSignal | undefined): Promise<Joined> => {
  const { settings, logger } = setup
  const closers: (() => Promise<unknown>)[] = []
  let isOver = false
  const close = async (): Promise<void> => {
    isOver = true
    for (const closer of closers.splice(0).reverse())
      await closer().catch((error: unknown) => logger('warn', 'closing failed', { error }))
  }
  // A frozen NATS answers late or never: what was stopped does not wait for it.
  const opened = (closer: () => Promise<unknown>): void => {
    if (isOver) closer().catch(() => {})
    else closers.push(closer)
  }
  try {
    const { nats, log, isNew } = await orStopped(openEngineLog(setup, opened), signal)
    const { dataDir, deadAfter: deadAfterMs, weight, zone, link } = settings
    const connection = watchConnection(nats, logger)
    const isStandby = settings.standby === 'on'
    const node = { nats, connection, log, dataDir, logger, deadAfterMs, weight, zone, link, isStandby }
    const running = await startNode(node)
    closers.push(() => running.close())
    if (signal?.aborted === true) throw stopped()
    return { nats, connection, log, isNew, running, close }
  } catch (error) {
    await close()
    throw error
  }
}

const stopped = () => new KirokuError('Stopped', 'stopped while it waited for NATS')

const orStopped = <A>(opening: Promise<A>, signal: AbortSignal | undefined): Promise<A> =>
  signal === undefined
    ? opening
    : new Promise((resolve, reject) => {
        const end = (): void => reject(stopped())
        if (signal.aborted) end()
        signal.addEventListener('abort', end, { once: true })
        opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
      })

/**
 * Puts the feature level of the nodes in force in a log that was made just now: no earlier version has read it. Where an older
 * node is there already, or where it fails, the log begins with version 0 and `kiroku cluster finalize` does it later.
 */
export const finalizeNewLog = async ({ nats, log, running }: Joined, logger: Logger): Promise<void> => {
  const by = { name: 'engine', origin: 'new log' }
  try {
    await finalizeCluster(
      nats,
      log.meta.name,
      (partition, commands) => running.node.request(partition, commands),
      by,
    )
  } catch (error) {
    logger('warn', 'the new log was not finalized; run `kiroku cluster finalize`', { error })
  }
}
