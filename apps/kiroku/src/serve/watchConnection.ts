import type { Logger } from './Logger.ts'
import type { Nats } from './describeCluster.ts'

/** Tracks whether a connection is up; a lost one is restored automatically. Logs what NATS refuses, like a missing right. */
export const watchConnection = (nats: Nats, logger: Logger): { readonly up: () => boolean } => {
  let up = true
  let said = ''
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') up = false
      else if (status.type === 'reconnect') up = true
      else if (status.type === 'error' && status.error.message !== said) {
        said = status.error.message
        logger('error', 'NATS refuses', { reason: said })
      }
    }
    up = false
  })()
  return { up: () => up }
}
