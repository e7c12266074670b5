import type { Nats } from './describeCluster.ts'

/** Follows whether a connection is up now; one that is lost comes back by itself. */
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
