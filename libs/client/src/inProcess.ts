import type { Command, Reply } from '@kiroku/protocol'
import type { LogDirectory, Transport } from './Transport.ts'

/** The part of an engine's node that a client in the same process needs. */
export interface InProcessNode {
  directory(): LogDirectory | Promise<LogDirectory>
  request(partition: number, commands: readonly Command[]): Promise<Reply>
  onOwnerChanged(listener: (partition: number, epoch: number) => void): () => void
}

/** The transport to a node in the same process: no wire, no codec, no timeouts. Closing it leaves the node alone. */
export const inProcess = (node: InProcessNode): Transport => ({
  directory: async () => node.directory(),
  request: (partition, commands) => node.request(partition, commands),
  onOwnerChanged: (listener) => node.onOwnerChanged(listener),
  onStray: () => () => {},
  close: async () => {},
})
