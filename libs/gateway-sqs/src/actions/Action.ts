import type { Client } from '@kiroku/client'
import type { Need } from '@kiroku/doors'
import type { Actor, Role } from '@kiroku/protocol'
import type { Queues } from '../queue/Queues.ts'
import type { Members } from '../wire/Shape.ts'

/** What an action works with. */
export interface Call {
  readonly client: Client
  readonly queues: Queues
  /** When the request was begun, by `performance.now()`. */
  readonly atMs: number
  /** The path of the request, where it names a queue. */
  readonly queuePath: string | undefined
  /** The account that the URLs of queues must name, where callers sign; undefined: any. */
  readonly owner: string | undefined
  readonly by: Actor
  /** Who asks, where callers sign. */
  readonly sender: string | undefined
  /** The URL of a queue, as this caller reaches it. */
  readonly urlOf: (queue: string) => string
  readonly arnOf: (queue: string) => string
  /** Refuses an action that the caller's role, or the policy of the queue, does not include. Errors: `Forbidden`, `AccessDenied` */
  readonly may: (action: string, need: Need) => Promise<void>
  /** Whether the caller may know of a queue. */
  readonly sees: (queue: string) => boolean
  /** How long after a purge and a deletion the next is refused, in ms; undefined: not at all. */
  readonly pauseMs: number | undefined
  /** Aborted when the caller is gone, or the door closes. */
  readonly signal: AbortSignal
}

/** The members of a request as they were read: text, numbers, flags, bytes, lists, maps and structures. */
export type Input = Readonly<Record<string, unknown>>

/** One action of SQS. */
export interface Action {
  /** The role that it takes on the queue that it names; it says itself what more it needs. */
  readonly role: Role
  readonly input: Members
  readonly output: Members
  readonly run: (call: Call, input: Input) => Promise<Readonly<Record<string, unknown>>>
}
