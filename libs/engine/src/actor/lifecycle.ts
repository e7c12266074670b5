import { setup } from 'xstate'

/** Names of the states of a partition's actor. */
export type ActorState =
  | 'Acquiring'
  | 'Fencing'
  | 'Recovering'
  | 'Active'
  | 'Confirming'
  | 'Draining'
  | 'Released'
  | 'Fenced'
  | 'Quarantined'

/** What moves an actor from one state to another. */
export type ActorEvent =
  | 'LOCKED'
  | 'FENCE_STORED'
  | 'RECOVERED'
  | 'APPEND_FAILED'
  | 'CONFIRMED'
  | 'UNCONFIRMED'
  | 'DRAIN'
  | 'DRAINED'
  | 'OVERTAKEN'
  | 'DAMAGED'

/** The life of an actor: one ownership of one partition. */
export const lifecycle = setup({
  types: { events: {} as { type: ActorEvent } },
}).createMachine({
  id: 'partition',
  initial: 'Acquiring',
  on: { DAMAGED: '.Quarantined', OVERTAKEN: '.Fenced' },
  states: {
    Acquiring: { on: { LOCKED: 'Fencing', DRAIN: 'Released' } },
    Fencing: { on: { FENCE_STORED: 'Recovering', DRAIN: 'Released' } },
    Recovering: { on: { RECOVERED: 'Active', DRAIN: 'Released' } },
    Active: { on: { APPEND_FAILED: 'Confirming', DRAIN: 'Draining' } },
    Confirming: { on: { CONFIRMED: 'Active', UNCONFIRMED: 'Fencing', DRAIN: 'Released' } },
    Draining: { on: { DRAINED: 'Released', APPEND_FAILED: 'Released' } },
    Released: { type: 'final' },
    Fenced: { type: 'final' },
    Quarantined: { type: 'final' },
  },
})
