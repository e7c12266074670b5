import type { Client } from '@kiroku/client'
import type { KirokuError } from '@kiroku/protocol'
import type { DoorRequests } from './DoorRequests.ts'
import type { Refusal } from './Refusals.ts'
import type { Tokens } from './Tokens.ts'

/** Called once per request that failed unexpectedly: what failed, and the request. */
export type OnDefect = (error: unknown, request: string) => void

/** What a door gets from the engine around it. */
export interface DoorAccess {
  readonly client: Client
  /** Without tokens, everyone on this machine is admitted. */
  readonly tokens: Tokens
  /** How long requests under way may take to finish at `close`, in ms. */
  readonly drainMs: number
  /** Why NATS stores nothing now; undefined: it does, as far as is known. Takes a second at most. */
  readonly outage: () => Promise<KirokuError | undefined>
  readonly onDefect: OnDefect
  /** Where it counts the requests that it answered. */
  readonly requests: DoorRequests
  /** Called when callers are refused, at most every 10 s for each of them. */
  readonly onRefused: (refusal: Refusal) => void
}

/** A listening door. */
export interface OpenDoor {
  readonly url: string
  /** Ends receives that wait, lets other requests under way finish, then stops listening. */
  readonly close: () => Promise<void>
}

/** A protocol through which programs reach the queues. */
export interface Door {
  /** Unique in an engine. */
  readonly name: string
  /** Errors: `TokenRequired`, `PortInUse`, `InvalidArgument` (an address that cannot be bound). */
  readonly start: (access: DoorAccess) => Promise<OpenDoor>
}
