import { stateTokens } from '@kiroku/message'

/** Gives the page the colours that states have everywhere, as `--state-Ready` and so on. */
export const paintStates = (root: HTMLElement): void => {
  for (const [state, { colour }] of Object.entries(stateTokens))
    root.style.setProperty(`--state-${state}`, colour)
}
