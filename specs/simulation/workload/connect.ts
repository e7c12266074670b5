import { createClient, type Client, type Transport } from '@kiroku/client'
import type { Party } from '../core/Party.ts'
import type { World } from '../world/World.ts'

/** The real client, as the process `party`, over the world's network. */
export const connect = (world: World, party: Party): Client => {
  const { loop, network, coverage } = world
  const transport: Transport = {
    directory: () => {
      const { name, incarnation, partitions } = world.log.meta
      return Promise.resolve({ log: name, incarnation, partitions })
    },
    request: (partition, commands, { timeoutMs }) => {
      const waitMs = commands.reduce(
        (most, c) => Math.max(most, c.type === 'Receive' ? (c.waitMs ?? 0) + (c.batchWaitMs ?? 0) : 0),
        0,
      )
      return network.request(party, partition, commands, Math.max(timeoutMs, waitMs + 1_000))
    },
    onOwnerChanged: (listener) => network.listen(party, listener),
    onStray: () => () => {},
    close: () => Promise.resolve(),
  }
  return createClient(transport, {
    name: party.name,
    sendTimeoutMs: 300_000,
    clock: {
      now: () => loop.nowMs,
      setTimeout: (run, ms) => loop.after(ms, run, party),
      clearTimeout: (handle) => {
        if (typeof handle === 'function') handle()
      },
    },
    onEvent: ({ type }) => coverage.add('party', `client ${type}`),
  })
}
