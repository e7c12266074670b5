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
  let up = true
  let said = ''
  let lostAtMs = 0
  const lost = (): void => {
    up = false
    for (const listener of listeners) listener()
  }
  const back = (server: string): void => {
    if (!up) {
      const seconds = Math.max(1, Math.round((performance.now() - lostAtMs) / 1_000))
      logger('info', 'NATS is back', { server, seconds })
    }
    up = true
  }
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') {
        if (up) {
          lostAtMs = performance.now()
          logger('warn', 'NATS is lost', { server: status.server })
        }
        lost()
      } else if (status.type === 'reconnect') back(status.server)
      else if (status.type === 'error' && status.error.message !== said) {
        said = status.error.message
        logger('error', 'NATS refuses', { reason: said })
      }
    }
    lost()
  })()
  return { up: () => up, onDown: (listener) => void listeners.push(listener) }
}
