import type { Logger } from './Logger.ts'
import type { Nats } from './describeCluster.ts'

/** Whether a connection is up. */
export interface Connection {
  readonly up: () => boolean
  /** Calls `listener` whenever it is lost. */
  readonly onDown: (listener: () => void) => void
}

/** Tracks whether a connection is up; a lost one is restored automatically. Logs what NATS refuses, like a missing right. */
export const watchConnection = (nats: Nats, logger: Logger): Connection => {
  const listeners: (() => void)[] = []
  let up = true
  let said = ''
  const lost = (): void => {
    up = false
    for (const listener of listeners) listener()
  }
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') lost()
      else if (status.type === 'reconnect') up = true
      else if (status.type === 'error' && status.error.message !== said) {
        said = status.error.message
        logger('error', 'NATS refuses', { reason: said })
      }
    }
    lost()
  })()
  return { up: () => up, onDown: (listener) => void listeners.push(listener) }
}
