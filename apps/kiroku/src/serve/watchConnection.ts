import type { Logger } from './Logger.ts'
import type { Nats } from './describeCluster.ts'

/** Whether a connection is up. */
export interface Connection {
  readonly up: () => boolean
  /** Calls `listener` whenever it is lost. */
  readonly onDown: (listener: () => void) => void
}

/**
 * Tracks whether a connection is up; a lost one is restored automatically. Logs when it is lost and when it is back, and what NATS
 * refuses, like a missing right.
 */
export const watchConnection = (nats: Nats, logger: Logger): Connection => {
  const listeners: (() => void)[] = []
  let lostAtMs: number | undefined
  let said = ''
  const lost = (): void => {
    lostAtMs ??= performance.now()
    for (const listener of listeners) listener()
  }
  void (async () => {
    for await (const status of nats.status()) {
      const { type } = status
      if (type === 'disconnect') {
        if (lostAtMs === undefined) logger('warn', 'NATS is lost', { server: status.server })
        lost()
      } else if (type === 'reconnect' && lostAtMs !== undefined) {
        logger('info', 'NATS is back', {
          server: status.server,
          awayMs: Math.round(performance.now() - lostAtMs),
        })
        lostAtMs = undefined
      } else if (type === 'error' && status.error.message !== said) {
        said = status.error.message
        logger('error', 'NATS refuses', { reason: said })
      }
    }
    lost()
  })()
  return { up: () => lostAtMs === undefined, onDown: (listener) => void listeners.push(listener) }
}
