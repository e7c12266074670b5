import type { stateNames } from '@kiroku/protocol'

/** How a state is shown: never by its colour alone. */
export interface StateToken {
  /** Colour as `#rrggbb`. */
  readonly colour: string
  /** The same for terminals, by its number among 256. */
  readonly ansi: number
  /** One character wide. */
  readonly symbol: string
}

/** Colours and shapes of the states, the same in every picture, table and terminal. */
export const stateTokens: Readonly<Record<(typeof stateNames)[number], StateToken>> = {
  Held: { colour: '#8a8f98', ansi: 245, symbol: '◌' },
  Delayed: { colour: '#5f87d7', ansi: 68, symbol: '◔' },
  Available: { colour: '#00afff', ansi: 39, symbol: '○' },
  Inflight: { colour: '#d7af00', ansi: 178, symbol: '●' },
  WaitingRetry: { colour: '#ff8700', ansi: 208, symbol: '⧗' },
  Committed: { colour: '#00af5f', ansi: 35, symbol: '✓' },
  DLQ: { colour: '#d70000', ansi: 160, symbol: '⬣' },
  Discarded: { colour: '#767676', ansi: 243, symbol: '⊘' },
}
