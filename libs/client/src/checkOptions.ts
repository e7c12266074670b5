import { KirokuError } from '@kiroku/protocol'

/** Names of the options of a call: a table that must have all of them and no other. */
export type OptionNames<O> = Readonly<Record<keyof O, true>>

/**
 * Refuses unknown options, since a typo of a JavaScript caller would otherwise be ignored. Errors:
 * `InvalidArgument`.
 */
export const checkOptions = <O extends object>(call: string, options: O, names: OptionNames<O>): void => {
  for (const name in options) {
    if (Object.hasOwn(names, name)) continue
    const known = Object.keys(names).join(', ')
    throw new KirokuError('InvalidArgument', `${call} has no option "${name}"; there are ${known}`)
  }
}
