import { inboxOf } from '@kiroku/nats-access'
import type { Msg } from '@nats-io/nats-core'

/** The client that a message names in the last word of its subject. */
export const nameIn = ({ subject }: Msg): string => subject.slice(subject.lastIndexOf('.') + 1)

/**
 * Whether the answer to a message goes to an inbox of its sender. NATS lets a client name any subject for the answer, also one
 * that it may not write to, such as that of a log; the process that answers may.
 * @param as the client that the message is from; absent: a node
 */
export const isAnswerable = ({ reply }: Msg, as?: string): boolean =>
  reply?.startsWith(`${inboxOf(as)}.`) === true
