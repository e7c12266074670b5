import { and, assign, setup } from 'xstate'
import type { MachineEvent, MachineEventType } from './MachineEvent.ts'
import { newCell, type MessageCell } from './MessageCell.ts'

/** What the machine remembers of a message beside its state. */
type Memory = Omit<MessageCell, 'state'>

interface Given<T extends MachineEventType> {
  readonly context: Memory
  readonly event: Extract<MachineEvent, { type: T }>
}

/** Names the events that a guard or an assignment is for; the machine uses it with no others. */
const given = <T extends MachineEventType, R>(read: (given: Given<T>) => R) =>
  read as unknown as (given: Given<MachineEventType>) => R

const { state: _state, ...memory } = newCell()

/**
 * The law: every state of one message under one subscription, and everything that can happen to it.
 * A timer is an event that the partition sends, so nothing in here waits. Nothing runs this object in
 * production: `step` is compiled from it, pictures and checks are generated from it.
 */
export const messageMachine = setup({
  types: {
    context: {} as Memory,
    events: {} as MachineEvent,
  },
  guards: {
    dueNow: given<'DELAY_ELAPSED' | 'RETRY_DUE', boolean>(({ context, event }) => event.now >= context.dueAt),
    dueLater: given<'HELD_COMMITTED' | 'RELEASE' | 'RETRY' | 'LEASE_EXPIRED', boolean>(
      ({ event }) => event.dueAt > event.now,
    ),
    leaseOver: given<'LEASE_EXPIRED', boolean>(({ context, event }) => event.now >= context.leaseUntil),
    leaseHolder: given<'EXTEND' | 'RELEASE' | 'ACK' | 'RETRY' | 'DEAD_LETTER', boolean>(
      ({ context, event }) => event.delivery === context.delivery,
    ),
    withinLeaseCap: given<'EXTEND', boolean>(
      ({ context, event }) => context.leaseCap === 0 || event.leaseUntil <= context.leaseCap,
    ),
    lateHandle: given<'ACK', boolean>(
      ({ context, event }) => event.policy.lateHandles === 'accept' && context.attempt > 0,
    ),
    attemptsUsedUp: given<'RETRY' | 'LEASE_EXPIRED', boolean>(
      ({ context, event }) =>
        event.policy.exhaustion === 'onExpiry' && context.attempt >= context.attemptsMax,
    ),
    noAttemptLeft: given<'DELIVER', boolean>(
      ({ context, event }) =>
        event.policy.exhaustion === 'onNextReceive' && context.attempt >= event.policy.attemptsMax,
    ),
    hasDeadLetter: given<'DELIVER' | 'RETRY' | 'LEASE_EXPIRED' | 'DEAD_LETTER', boolean>(
      ({ event }) => event.policy.hasDeadLetter,
    ),
  },
  actions: {
    lease: assign({
      attempt: ({ context }) => context.attempt + 1,
      delivery: given<'DELIVER', number>(({ event }) => event.delivery),
      attemptsMax: given<'DELIVER', number>(({ event }) => event.policy.attemptsMax),
      leaseUntil: given<'DELIVER', number>(({ event }) => event.leaseUntil),
      leaseCap: given<'DELIVER', number>(({ event }) => event.leaseCap),
    }),
    extendLease: assign({ leaseUntil: given<'EXTEND', number>(({ event }) => event.leaseUntil) }),
    giveAttemptBack: assign({ attempt: ({ context }) => context.attempt - 1 }),
    setDue: assign({
      dueAt: given<'RESCHEDULE' | 'HELD_COMMITTED' | 'RELEASE' | 'RETRY' | 'LEASE_EXPIRED', number>(
        ({ event }) => event.dueAt,
      ),
    }),
    markExhausted: assign({ reason: 'exhausted' }),
    markRecalled: assign({ reason: 'recalled' }),
    markRolledBack: assign({ reason: 'rolledBack' }),
    markExpired: assign({ reason: 'expired' }),
    markPurged: assign({ reason: 'purged' }),
    markDiscarded: assign({ reason: given<'DISCARD', MessageCell['reason']>(({ event }) => event.reason) }),
  },
}).createMachine({
  id: 'message',
  context: memory,
  initial: 'Ready',
  states: {
    Ready: {
      description: 'Stored; nobody works on it.',
      initial: 'Available',
      states: {
        Held: {
          description: 'Half of a transaction: invisible until its producer commits it.',
          on: {
            HELD_COMMITTED: [
              { guard: 'dueLater', target: 'Delayed', actions: 'setDue' },
              { target: 'Available' },
            ],
            HELD_ROLLED_BACK: { target: '#message.Discarded', actions: 'markRolledBack' },
          },
        },
        Delayed: {
          description: 'Invisible until its due time; can be moved or recalled until then.',
          on: {
            DELAY_ELAPSED: { guard: 'dueNow', target: 'Available' },
            RESCHEDULE: { actions: 'setDue' },
            RECALL: { target: '#message.Discarded', actions: 'markRecalled' },
          },
        },
        Available: {
          description: 'Goes out with the next receive.',
          on: {
            DELIVER: [
              { guard: and(['noAttemptLeft', 'hasDeadLetter']), target: '#message.DLQ' },
              { guard: 'noAttemptLeft', target: '#message.Discarded', actions: 'markExhausted' },
              { target: '#message.Inflight', actions: 'lease' },
            ],
            ACK: { guard: 'lateHandle', target: '#message.Committed' },
          },
        },
      },
      on: {
        EXPIRE: { target: 'Discarded', actions: 'markExpired' },
        PURGE: { target: 'Discarded', actions: 'markPurged' },
        DISCARD: { target: 'Discarded', actions: 'markDiscarded' },
      },
    },
    Inflight: {
      description: 'Leased to one consumer, who may extend or settle until LEASE_EXPIRED is sent.',
      on: {
        EXTEND: { guard: and(['leaseHolder', 'withinLeaseCap']), actions: 'extendLease' },
        RELEASE: [
          {
            guard: and(['leaseHolder', 'dueLater']),
            target: 'WaitingRetry',
            actions: ['giveAttemptBack', 'setDue'],
          },
          { guard: 'leaseHolder', target: 'Ready.Available', actions: 'giveAttemptBack' },
        ],
        ACK: [
          { guard: 'leaseHolder', target: 'Committed' },
          { guard: 'lateHandle', target: 'Committed' },
        ],
        RETRY: [
          { guard: and(['leaseHolder', 'attemptsUsedUp', 'hasDeadLetter']), target: 'DLQ' },
          {
            guard: and(['leaseHolder', 'attemptsUsedUp']),
            target: 'Discarded',
            actions: 'markExhausted',
          },
          { guard: and(['leaseHolder', 'dueLater']), target: 'WaitingRetry', actions: 'setDue' },
          { guard: 'leaseHolder', target: 'Ready.Available' },
        ],
        LEASE_EXPIRED: [
          { guard: and(['leaseOver', 'attemptsUsedUp', 'hasDeadLetter']), target: 'DLQ' },
          { guard: and(['leaseOver', 'attemptsUsedUp']), target: 'Discarded', actions: 'markExhausted' },
          { guard: and(['leaseOver', 'dueLater']), target: 'WaitingRetry', actions: 'setDue' },
          { guard: 'leaseOver', target: 'Ready.Available' },
        ],
        DEAD_LETTER: { guard: and(['leaseHolder', 'hasDeadLetter']), target: 'DLQ' },
        EXPIRE: { target: 'Discarded', actions: 'markExpired' },
        PURGE: { target: 'Discarded', actions: 'markPurged' },
        DISCARD: { target: 'Discarded', actions: 'markDiscarded' },
      },
    },
    WaitingRetry: {
      description: 'Failed, or was given back with a delay; pauses before the next attempt.',
      on: {
        RETRY_DUE: { guard: 'dueNow', target: 'Ready.Available' },
        ACK: { guard: 'lateHandle', target: 'Committed' },
        EXPIRE: { target: 'Discarded', actions: 'markExpired' },
        PURGE: { target: 'Discarded', actions: 'markPurged' },
        DISCARD: { target: 'Discarded', actions: 'markDiscarded' },
      },
    },
    Committed: { type: 'final', description: 'Handled.' },
    DLQ: { type: 'final', description: 'Given up; a copy goes to the dead-letter queue.' },
    Discarded: { type: 'final', description: 'Given up, with a reason.' },
  },
})
