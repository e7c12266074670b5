import type { Nats } from './describeCluster.ts'

/** Tracks whether a connection is up; a lost one is restored automatically. */
export const watchConnection = (nats: Nats): { readonly up: () => boolean } => {
  let up = true
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type === 'disconnect') up = false
      else if (type === 'reconnect') up = true
    }
    up = false
  })()
  return { up: () => up }
}
