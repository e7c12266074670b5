import type { Client } from '@kiroku/client'
import type { Actor } from '@kiroku/protocol'
import type { Queues } from '../queue/Queues.ts'
import type { Members } from '../wire/Shape.ts'

/** What an action works with. */
export interface Call {
  readonly client: Client
  readonly queues: Queues
  /** Of the path of the request, where it names a queue. */
  readonly queueOfPath: string | undefined
  readonly by: Actor
  /** The URL of a queue, as this caller reaches it. */
  readonly urlOf: (queue: string) => string
  readonly arnOf: (queue: string) => string
  /** Aborted when the caller is gone, or the door closes. */
  readonly signal: AbortSignal
}

/** The members of a request as they were read: text, numbers, flags, bytes, lists, maps and structures. */
export type Input = Readonly<Record<string, unknown>>

/** One action of SQS. */
export interface Action {
  readonly input: Members
  readonly output: Members
  readonly run: (call: Call, input: Input) => Promise<Readonly<Record<string, unknown>>>
}
