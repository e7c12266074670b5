import type { Role } from '@kiroku/protocol'
import type { Members } from '../wire/Shape.ts'
import type { Call } from './Call.ts'

/** The members of a request as they were read: text, numbers, flags, bytes, lists, maps and structures. */
export type Input = Readonly<Record<string, unknown>>

/** The members of an answer. */
export type Output = Readonly<Record<string, unknown>>

/** One action of SQS. */
export interface Action {
  /** The role that it takes on the queue that it names; it says itself what more it needs. */
  readonly role: Role
  readonly input: Members
  readonly output: Members
  readonly run: (call: Call, input: Input) => Promise<Output>
}
