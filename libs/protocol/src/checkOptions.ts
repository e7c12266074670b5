import { KirokuError } from './error/KirokuError.ts'
import { instead } from './nearest.ts'
import { valueInWords } from './settings/inUnits.ts'

/** What the value of an option must be, in words, where it is not that; undefined: it is fine. */
type Rule = (value: unknown) => string | undefined

/** The options of a call: a table that must have all of them and no other. */
export type OptionRules<O> = Readonly<Record<keyof O, Rule>>

const any: Rule = () => undefined
const internal: Rule = () => undefined
const text: Rule = (value) => (typeof value === 'string' ? undefined : 'text')
const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'true or false')
const callback: Rule = (value) => (typeof value === 'function' ? undefined : 'a function')
const number: Rule = (value) => (typeof value === 'number' ? undefined : 'a number')
const milliseconds: Rule = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'a number of milliseconds, 0 or more'
const wholeFrom =
  (min: number): Rule =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min ? undefined : `a whole number from ${min} on`

/** Rules for options. `any`: the value is checked where it is used; `internal`: programs are not told of the option. */
export const rule = { any, internal, text, flag, callback, number, milliseconds, wholeFrom }

/**
 * Refuses unknown options, and values that cannot be meant, since a mistake of a JavaScript caller would otherwise be
 * ignored. An option that is undefined is absent. Errors: `InvalidArgument`.
 */
export const checkOptions = <O extends object>(call: string, options: O, rules: OptionRules<O>): void => {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw invalid(`${call} takes its options as an object, not ${valueInWords(options)}`)
  for (const option in options) {
    if (!Object.hasOwn(rules, option))
      throw invalid(`${call} has no option "${option}"${instead(option, namesOf(rules))}`)
    const value = options[option]
    const must = value === undefined ? undefined : rules[option](value)
    if (must !== undefined) throw invalid(`${option} must be ${must}, not ${valueInWords(value)}`)
  }
}

const namesOf = (rules: Readonly<Record<string, Rule>>): readonly string[] =>
  Object.keys(rules).filter((name) => rules[name] !== internal)

/** Refuses what is no function. Errors: `InvalidArgument`. */
export const checkHandler = (call: string, handler: unknown): void => {
  if (typeof handler !== 'function')
    throw invalid(`${call} needs a function that handles what arrives, not ${valueInWords(handler)}`)
}

const invalid = (message: string): KirokuError => new KirokuError('InvalidArgument', message)
