import type { MachineEvent, MachineEventType } from '@kiroku/message'

type EventOf<T extends MachineEventType> = Extract<MachineEvent, { type: T }>

const policy = undefined as never

/** One event per type, reused for each message: a fold needs millions of them. */
export const machineEvents = {
  deliver: { type: 'DELIVER', delivery: 0, leaseUntil: 0, leaseCap: 0, policy } as EventOf<'DELIVER'>,
  elapse: { type: 'DELAY_ELAPSED', now: 0 } as EventOf<'DELAY_ELAPSED'>,
  extend: { type: 'EXTEND', now: 0, delivery: 0, leaseUntil: 0 } as EventOf<'EXTEND'>,
  release: { type: 'RELEASE', now: 0, delivery: 0, dueAt: 0 } as EventOf<'RELEASE'>,
  ack: { type: 'ACK', delivery: 0, policy } as EventOf<'ACK'>,
  retry: { type: 'RETRY', now: 0, delivery: 0, dueAt: 0, policy } as EventOf<'RETRY'>,
  leaseExpired: { type: 'LEASE_EXPIRED', now: 0, dueAt: 0, policy } as EventOf<'LEASE_EXPIRED'>,
  retryDue: { type: 'RETRY_DUE', now: 0 } as EventOf<'RETRY_DUE'>,
  deadLetter: { type: 'DEAD_LETTER', delivery: 0, policy } as EventOf<'DEAD_LETTER'>,
  expire: { type: 'EXPIRE' } as EventOf<'EXPIRE'>,
  discard: { type: 'DISCARD', reason: 'operator' } as EventOf<'DISCARD'>,
  reschedule: { type: 'RESCHEDULE', now: 0, dueAt: 0 } as EventOf<'RESCHEDULE'>,
  recall: { type: 'RECALL' } as EventOf<'RECALL'>,
  rollback: { type: 'HELD_ROLLED_BACK' } as EventOf<'HELD_ROLLED_BACK'>,
}
