import type { ActorState } from '@kiroku/engine'
import type { MessageAddress, QueueCounts, Reply } from '@kiroku/protocol'
import type { Party } from '../core/Party.ts'
import type { Exchange } from '../world/Exchange.ts'
import type { Move } from '../world/Move.ts'
import type { Stored } from '../world/Stored.ts'

/**
 * Holds one promise. It hears what is stored, what leaves a node and what a client hears, keeps its own books, and
 * throws an `Objection` when the promise is broken. It knows nothing of the engine's rules or its state.
 */
export interface Checker {
  readonly name: string
  /** A frame became part of the log and is not noted in the ledger yet. */
  storing?(frame: Stored): void
  /** One message changes. */
  moving?(move: Move): void
  /** The frame is noted. */
  stored?(frame: Stored): void
  /** Frames were given up, by a repair or because the log lost them. */
  givenUp?(partition: number, from: number, upTo: number): void
  /** A node's actor of a partition entered a state of its life. */
  turned?(partition: number, node: string, state: ActorState, reason: string): void
  /** A node read a record of the log, as it is now. */
  fetched?(partition: number, seq: number, node: string): void
  /** A node is about to have records removed from the log. */
  trimming?(partition: number, upTo: number, node: string): void
  /** A request reached a node. */
  arrived?(exchange: Exchange): void
  /** A reply leaves the node that made it. */
  left?(exchange: Exchange, reply: Reply): void
  /** A reply reached who asked. */
  heard?(exchange: Exchange, reply: Reply): void
  /** The real client told its caller where a message is. */
  promised?(label: string, place: MessageAddress): void
  /** The real client told its caller how many messages a queue has. */
  read?(reader: Party, partition: number, queue: number, counts: QueueCounts): void
  /** No more faults, everything was consumed, and no requests are pending. */
  ended?(): void | Promise<void>
}
