import type { Actor } from '@kiroku/protocol'
import type { ClientEvent } from './ClientEvent.ts'
import type { Clock } from './Clock.ts'
import type { EnvelopeSizes } from './EnvelopeMemory.ts'

/** Settings of a client. */
export interface ClientOptions {
  /** Name of this client in deliveries and in the record; default: its machine and process, if known. */
  readonly name?: string
  /** Default actor of administrative calls; default: `local`, from `client`. */
  readonly actor?: Actor
  /**
   * How long a send without an answer is repeated, in ms, 10 minutes at most, whatever the reason. Default: 300,000 while its
   * partition moves to another node, and 5,000 at most while NATS or its quorum is away: it fails with `Unavailable` then.
   */
  readonly sendTimeoutMs?: number
  /** How long any other request is repeated while it fails, in ms, 10 minutes at most; default 30,000. */
  readonly requestTimeoutMs?: number
  /** Receives events behind the calls; default: those that need attention go to standard error. */
  readonly onEvent?: (event: ClientEvent) => void
  /** @internal */
  readonly clock?: Clock
  /** How long a send waits, in ms, where `sendTimeoutMs` is absent: while nobody answers, and while its partition moves. @internal */
  readonly sendPatience?: { readonly silenceMs: number; readonly moveMs: number }
  /** @internal */
  readonly envelopeSizes?: EnvelopeSizes
}
