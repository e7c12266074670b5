import type { Client } from '@kiroku/client'
import type { Token } from './tokens.ts'

/** Told of every request that failed unexpectedly, once: what failed, and what was asked. */
export type OnDefect = (error: unknown, request: string) => void

/** What a door gets from the engine around it. */
export interface DoorAccess {
  readonly client: Client
  /** Without any, everyone on this machine is admitted. */
  readonly tokens: readonly Token[]
  /** How long requests under way may take to finish at `close`, in ms. */
  readonly drainMs: number
  readonly onDefect: OnDefect
}

/** A door that listens. */
export interface OpenDoor {
  readonly url: string
  /** Ends receives that wait, lets other requests under way finish, then stops listening. */
  readonly close: () => Promise<void>
}

/** One protocol by which programs reach the queues. */
export interface Door {
  /** Unique in an engine. */
  readonly name: string
  /** Errors: `TokenRequired`, `PortInUse`, `InvalidArgument` (an address that cannot be bound). */
  readonly start: (access: DoorAccess) => Promise<OpenDoor>
}
