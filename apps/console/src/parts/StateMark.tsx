import { machineGraph } from '@kiroku/message'
import { type stateNames } from '@kiroku/protocol'
import type { ReactElement } from 'react'
import styles from './StateMark.module.css'

/** Name of a state. */
export type StateName = (typeof stateNames)[number]

/** The readable names. */
export const stateWords: Readonly<Record<StateName, string>> = {
  Held: 'Held',
  Delayed: 'Delayed',
  Available: 'Available',
  Inflight: 'In flight',
  WaitingRetry: 'Waiting retry',
  Committed: 'Done',
  DLQ: 'Dead letter',
  Discarded: 'Discarded',
}

/** What the states mean, in a sentence: the machine's own. */
export const meanings: Readonly<Record<string, string>> = Object.fromEntries(
  machineGraph().nodes.map(({ name, description }) => [name, description]),
)

/** The shapes, in a box of 16 × 16: a state is recognizable without its colour. */
const shapes: Readonly<Record<StateName, ReactElement>> = {
  Held: <circle cx="8" cy="8" r="5.5" strokeDasharray="2.2 2.2" />,
  Delayed: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 4.8V8l2.2 1.6" />
    </>
  ),
  Available: <circle cx="8" cy="8" r="5.5" />,
  Inflight: (
    <>
      <circle cx="8" cy="8" r="3" fill="currentColor" />
      <circle cx="8" cy="8" r="6.2" strokeWidth="1.1" />
    </>
  ),
  WaitingRetry: (
    <path d="M4 2.5h8M4 13.5h8M5 2.5c0 3.2 3 3.6 3 5.5s-3 2.3-3 5.5M11 2.5c0 3.2-3 3.6-3 5.5s3 2.3 3 5.5" />
  ),
  Committed: <path d="M2.8 8.6l3.4 3.6 7-8" strokeWidth="2.2" />,
  DLQ: (
    <>
      <path d="M5.4 2h5.2L14 5.4v5.2L10.6 14H5.4L2 10.6V5.4z" fill="currentColor" fillOpacity="0.18" />
      <path d="M8 4.9v3.9M8 11v.2" strokeWidth="1.8" />
    </>
  ),
  Discarded: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M4.2 11.8l7.6-7.6" />
    </>
  ),
}

/** The colour of a state, darker on white so that it stands out from it by at least 3:1. */
export const stateColour = (state: StateName): string =>
  `light-dark(color-mix(in oklab, var(--state-${state}), #000 28%), var(--state-${state}))`

/** The shape of a state in its colour. */
export const StateShape = ({ state, size = 16 }: { readonly state: StateName; readonly size?: number }) => (
  <svg
    className={styles['shape']}
    style={{ color: stateColour(state) }}
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {shapes[state]}
  </svg>
)

/** A state by colour, shape and word. */
export const StateMark = ({ state }: { readonly state: StateName }) => (
  <span className={styles['mark']} title={meanings[state]}>
    <StateShape state={state} />
    {stateWords[state]}
  </span>
)
