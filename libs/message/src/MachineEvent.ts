import type { DiscardReason } from '@kiroku/protocol'

/** When a message whose attempts are used up leaves: at the failure, or at the next receive (SQS). */
export type Exhaustion = 'onExpiry' | 'onNextReceive'

/** What a settling call with a handle from before the present state does. */
export type LateHandles = 'accept' | 'reject'

/** The part of a queue's configuration that the law reads. */
export interface Policy {
  /** Attempts allowed: max retries + 1. */
  readonly attemptsMax: number
  readonly exhaustion: Exhaustion
  readonly hasDeadLetter: boolean
  readonly lateHandles: LateHandles
}

/** Everything that can happen to one message. `now` is partition time in ms. */
export type MachineEvent =
  | { type: 'DELAY_ELAPSED'; now: number }
  | { type: 'RESCHEDULE'; now: number; dueAt: number }
  | { type: 'RECALL' }
  | { type: 'HELD_COMMITTED'; now: number; dueAt: number }
  | { type: 'HELD_ROLLED_BACK' }
  | { type: 'DELIVER'; delivery: number; leaseUntil: number; leaseCap: number; policy: Policy }
  | { type: 'EXTEND'; now: number; delivery: number; leaseUntil: number }
  /** Gives the attempt back, too. `dueAt` as of RETRY. */
  | { type: 'RELEASE'; now: number; delivery: number; dueAt: number }
  | { type: 'ACK'; delivery: number; policy: Policy }
  /** `dueAt` not after `now` means at once: Available instead of WaitingRetry. */
  | { type: 'RETRY'; now: number; delivery: number; dueAt: number; policy: Policy }
  | { type: 'LEASE_EXPIRED'; now: number; dueAt: number; policy: Policy }
  | { type: 'RETRY_DUE'; now: number }
  | { type: 'DEAD_LETTER'; delivery: number; policy: Policy }
  | { type: 'EXPIRE' }
  | { type: 'PURGE' }
  | { type: 'DISCARD'; reason: DiscardReason }

/** Name of a machine event. */
export type MachineEventType = MachineEvent['type']
