import { type MachineEvent, type MessageCell, type Policy, step } from '@kiroku/message'
import { type LogEventOf, State } from '@kiroku/protocol'

export type Settlement = 'Ack' | 'Retry' | 'Extend' | 'Release' | 'DeadLetter'

export const settled = (
  type: Settlement,
  cell: MessageCell,
  delivery: number,
  now: number,
  policy: Policy,
  { dueAt, leaseMs }: { readonly dueAt: number; readonly leaseMs: number },
): boolean => {
  if (delivery > cell.delivery) return false
  switch (type) {
    case 'Ack':
      return step(cell, { type: 'ACK', delivery, policy })
    case 'Retry':
      return step(cell, { type: 'RETRY', now, delivery, dueAt, policy })
    case 'Extend':
      return step(cell, extendOf(delivery, now + leaseMs, now))
    case 'Release':
      return step(cell, releaseOf(delivery, now, dueAt))
    case 'DeadLetter':
      return step(cell, { type: 'DEAD_LETTER', delivery, policy })
  }
}

export const releaseOf = (delivery: number, now: number, dueAt: number): MachineEvent => ({
  type: 'RELEASE',
  now,
  delivery,
  dueAt,
})

export const extendOf = (delivery: number, leaseUntil: number, now: number): MachineEvent => ({
  type: 'EXTEND',
  now,
  delivery,
  leaseUntil,
})

/** The event behind a message that left because it failed. */
export const failureOf = (
  cause: LogEventOf<'DeadLettered'>['cause'],
  { delivery }: MessageCell,
  now: number,
  policy: Policy,
): MachineEvent => {
  switch (cause) {
    case 'retry':
      return { type: 'RETRY', now, delivery, dueAt: now, policy }
    case 'leaseExpired':
      return { type: 'LEASE_EXPIRED', now, dueAt: now, policy }
    case 'nextReceive':
      return { type: 'DELIVER', delivery: delivery + 1, leaseUntil: now + 1, leaseCap: 0, policy }
    case 'onPurpose':
      return { type: 'DEAD_LETTER', delivery, policy }
  }
}

export const notOverdue = (c: MessageCell, now: number, n: number): void => {
  const waits = c.state === State.Delayed || c.state === State.WaitingRetry
  lawful(!waits || c.dueAt > now, `message ${n} left behind by its timer`)
  lawful(c.state !== State.Inflight || c.leaseUntil > now, `message ${n} left behind by its lease`)
}

export const lawful = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`the record holds what the law forbids: ${what}`)
}
