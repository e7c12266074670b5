import type { NatsConnection } from '@nats-io/nats-core'

const listenersOf = new WeakMap<NatsConnection, Set<() => void>>()

/** Calls `listener` whenever a connection that was lost is there again. Returns the function that stops it. */
export const onReconnect = (nc: NatsConnection, listener: () => void): (() => void) => {
  let listeners = listenersOf.get(nc)
  if (listeners === undefined) {
    listeners = new Set()
    listenersOf.set(nc, listeners)
    void watch(nc, listeners)
  }
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** One reader of the connection's news for all. */
const watch = async (nc: NatsConnection, listeners: ReadonlySet<() => void>): Promise<void> => {
  for await (const { type } of nc.status()) if (type === 'reconnect') for (const each of listeners) each()
}
