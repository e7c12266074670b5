import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { transition, type EventFromLogic, type SnapshotFrom } from 'xstate'
import { getSimplePaths } from 'xstate/graph'
import { isFinal, State, stateNames } from '@kiroku/protocol'
import {
  machineGraph,
  messageMachine,
  newCell,
  step,
  type MachineEvent,
  type MachineEventType,
  type MessageCell,
  type Policy,
} from './index.ts'

type MessageSnapshot = SnapshotFrom<typeof messageMachine>

const insideReady = new Set<State>([State.Held, State.Delayed, State.Available])

/** The cell as xstate holds it. */
const snapshotOf = ({ state, ...context }: MessageCell): MessageSnapshot => {
  const name = stateNames[state]
  return messageMachine.resolveState({
    value: (insideReady.has(state) ? { Ready: name } : name) as MessageSnapshot['value'],
    context,
  })
}

/** What xstate holds, as a cell. */
const cellOf = ({ value, context }: MessageSnapshot): MessageCell => {
  const name = typeof value === 'string' ? value : value.Ready
  return { ...context, state: State[name as keyof typeof State] }
}

/** Lets xstate and the compiled step do the same and compares all that can be seen of it. */
const agree = (snapshot: MessageSnapshot, cell: MessageCell, event: MachineEvent): MessageSnapshot => {
  const possible = snapshot.can(event)
  const [next, effects] = transition(messageMachine, snapshot, event)
  const taken = step(cell, event)
  expect(taken).toBe(possible)
  expect(cell).toEqual(cellOf(next))
  expect(effects).toEqual([])
  expect(isFinal(cell.state)).toBe(next.status === 'done')
  return next
}

const types = [...new Set(machineGraph().edges.map((edge) => edge.event))] as MachineEventType[]

/** Event types that the present state knows, so that a sequence gets somewhere. */
const knownIn = stateNames.map((name) => {
  const group = machineGraph().nodes.find((node) => node.name === name)?.parent
  const edges = machineGraph().edges.filter((edge) => edge.from === name || edge.from === group)
  return [...new Set(edges.map((edge) => edge.event))] as MachineEventType[]
})

/** An event before it is fitted to the cell it happens to. */
interface Draft {
  readonly type: MachineEventType
  /** Which of the known types it becomes instead of `type`; negative: none. */
  readonly known: number
  /** Distances from the cell's own values: 0 is just in time, or the current delivery. */
  readonly delivery: number
  readonly now: number
  readonly due: number
  readonly lease: number
  readonly cap: number
  readonly policy: Policy
}

const fitted = (draft: Draft, cell: MessageCell): MachineEvent => {
  const known = knownIn[cell.state] ?? []
  const type = known.length > 0 && draft.known >= 0 ? known[draft.known % known.length]! : draft.type
  const { policy } = draft
  const delivery = cell.delivery + draft.delivery
  const now = (type === 'LEASE_EXPIRED' ? cell.leaseUntil : cell.dueAt) + draft.now
  const dueAt = now + draft.due
  switch (type) {
    case 'DELIVER': {
      const leaseUntil = cell.leaseUntil + draft.lease
      const leaseCap = draft.cap === 0 ? 0 : leaseUntil + draft.cap
      return { type, delivery: cell.delivery + 1, leaseUntil, leaseCap, policy }
    }
    case 'EXTEND':
      return { type, now, delivery, leaseUntil: cell.leaseUntil + draft.lease }
    case 'DISCARD':
      return { type, reason: 'operator' }
    case 'RELEASE':
      return { type, now, delivery, dueAt }
    case 'ACK':
    case 'DEAD_LETTER':
      return { type, delivery, policy }
    case 'RETRY':
      return { type, now, delivery, dueAt, policy }
    case 'LEASE_EXPIRED':
      return { type, now, dueAt, policy }
    case 'DELAY_ELAPSED':
    case 'RETRY_DUE':
      return { type, now }
    case 'RESCHEDULE':
    case 'HELD_COMMITTED':
      return { type, now, dueAt }
    case 'RECALL':
    case 'HELD_ROLLED_BACK':
    case 'EXPIRE':
    case 'PURGE':
      return { type }
  }
}

const nearby = fc.constantFrom(0, 0, 0, -1, 1, 50)
const policies = fc.record<Policy>({
  attemptsMax: fc.integer({ min: 1, max: 4 }),
  exhaustion: fc.constantFrom('onExpiry', 'onNextReceive'),
  hasDeadLetter: fc.boolean(),
  lateHandles: fc.constantFrom('accept', 'reject'),
})
const drafts = fc.record<Draft>({
  type: fc.constantFrom(...types),
  known: fc.integer({ min: -3, max: 12 }),
  delivery: fc.constantFrom(0, 0, 0, -1, 1),
  now: nearby,
  due: nearby,
  lease: nearby,
  cap: fc.constantFrom(0, 1, 20),
  policy: policies,
})
const starts = fc.constantFrom(newCell(State.Held), newCell(State.Delayed, 100), newCell(State.Available))

describe('the compiled step does what xstate does', () => {
  it('over 10,000 generated sequences, which take every transition of the machine', () => {
    const untaken = new Set(machineGraph().edges.map(({ from, to, event }) => `${from} ${event} ${to}`))
    let refused = 0
    fc.assert(
      fc.property(starts, fc.array(drafts, { minLength: 1, maxLength: 16 }), (start, sequence) => {
        const cell = { ...start }
        let snapshot = snapshotOf(cell)
        for (const draft of sequence) {
          const event = fitted(draft, cell)
          const before = { ...cell }
          snapshot = agree(snapshot, cell, event)
          const from = stateNames[before.state]
          const to = stateNames[cell.state]
          untaken.delete(`${from} ${event.type} ${to}`)
          if (insideReady.has(before.state)) untaken.delete(`Ready ${event.type} ${to}`)
          if (cell.state === before.state && event.type !== 'EXTEND') refused += 1
        }
      }),
      { numRuns: 10_000, seed: 20_261_121 },
    )
    expect([...untaken]).toEqual([])
    expect(refused).toBeGreaterThan(1_000)
  })

  const events =
    (policy: Policy) =>
    (snapshot: MessageSnapshot): MachineEvent[] => {
      const { delivery, attempt, leaseUntil: now } = snapshot.context
      return [
        { type: 'HELD_COMMITTED', now, dueAt: 0 },
        { type: 'HELD_COMMITTED', now, dueAt: now + 5 },
        { type: 'HELD_ROLLED_BACK' },
        { type: 'DELAY_ELAPSED', now: now + 5 },
        { type: 'RESCHEDULE', now, dueAt: now + 5 },
        { type: 'RECALL' },
        { type: 'DELIVER', delivery: attempt + 1, leaseUntil: 10, leaseCap: 0, policy },
        { type: 'EXTEND', now, delivery, leaseUntil: 10 },
        { type: 'RELEASE', now, delivery, dueAt: 0 },
        { type: 'RELEASE', now, delivery, dueAt: now + 5 },
        { type: 'ACK', delivery, policy },
        { type: 'ACK', delivery: delivery - 1, policy },
        { type: 'RETRY', now, delivery, dueAt: 0, policy },
        { type: 'RETRY', now, delivery, dueAt: now + 5, policy },
        { type: 'LEASE_EXPIRED', now, dueAt: 0, policy },
        { type: 'LEASE_EXPIRED', now, dueAt: now + 5, policy },
        { type: 'RETRY_DUE', now: now + 5 },
        { type: 'DEAD_LETTER', delivery, policy },
        { type: 'EXPIRE' },
        { type: 'PURGE' },
        { type: 'DISCARD', reason: 'operator' },
      ]
    }

  const policiesOf3Retries = (['onExpiry', 'onNextReceive'] as const).flatMap((exhaustion) =>
    [true, false].flatMap((hasDeadLetter) =>
      (['accept', 'reject'] as const).map((lateHandles) => ({
        attemptsMax: 4,
        exhaustion,
        hasDeadLetter,
        lateHandles,
      })),
    ),
  )
  it.each(policiesOf3Retries)(
    'over all simple paths with up to 3 retries: $exhaustion, dead letter $hasDeadLetter, late handles $lateHandles',
    (policy) => {
      // From Held every other state can be reached; paths from elsewhere are their tails.
      const start = newCell(State.Held)
      const paths = getSimplePaths(messageMachine, {
        fromState: snapshotOf(start),
        events: events(policy) as (snapshot: MessageSnapshot) => EventFromLogic<typeof messageMachine>[],
        serializeState: ({ value, context }) => JSON.stringify([value, context.attempt, context.reason]),
      })
      expect(paths.length).toBeGreaterThan(2_000)
      expect(Math.max(...paths.map((path) => path.state.context.attempt))).toBe(4)
      // Both are functions of (cell, event): xstate is asked once about each pair on the way.
      const compared = new Set<string>()
      for (const path of paths) {
        const cell = { ...start }
        for (const { event } of path.steps) {
          if (!types.includes(event.type)) continue
          const pair = JSON.stringify([cell, event])
          if (compared.has(pair)) step(cell, event)
          else agree(snapshotOf(cell), cell, event)
          compared.add(pair)
        }
        const end = cellOf(path.state)
        if (cell.state !== end.state || cell.attempt !== end.attempt || cell.reason !== end.reason) {
          expect(cell).toEqual(end)
        }
      }
    },
    60_000,
  )
})
