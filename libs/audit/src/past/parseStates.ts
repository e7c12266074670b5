import { KirokuError, stateNames, type StateName } from '@kiroku/protocol'

/** Reads names of states with commas between, in any case. `what` names the argument. Errors: `InvalidArgument`. */
export const parseStates = (text: string, what: string): StateName[] =>
  text.split(',').map((name) => {
    const found = stateNames.find((state) => state.toLowerCase() === name.trim().toLowerCase())
    if (found !== undefined) return found
    throw new KirokuError('InvalidArgument', `${what}: "${name}" is not one of ${stateNames.join(', ')}`)
  })
