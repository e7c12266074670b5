import type { Command, Reply } from '@kiroku/protocol'
import type { LogDirectory, Transport } from './Transport.ts'
import { cancelPolls } from './cancelPolls.ts'

/** The part of an engine's node that a client in the same process needs. */
export interface InProcessNode {
  directory(): LogDirectory | Promise<LogDirectory>
  request(
    partition: number,
    commands: readonly Command[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<Reply>
  onOwnerChanged(listener: (partition: number, epoch: number) => void): () => void
}

/** The transport to a node in the same process: no wire, no codec, no timeouts. Closing it leaves the node alone. */
export const inProcess = (node: InProcessNode): Transport => ({
  directory: async () => node.directory(),
  request: async (partition, commands, { signal }) => {
    const stopCancelling = cancelPolls(commands, signal, (cancel) => node.request(partition, [cancel]))
    try {
      return await node.request(partition, commands)
    } finally {
      stopCancelling()
    }
  },
  onOwnerChanged: (listener) => node.onOwnerChanged(listener),
  onStray: () => () => {},
  close: async () => {},
})
