import type { Mutant } from './Mutant.ts'

/**
 * The source of the mutant's file with its break in it. Throws an `Error` when the text to replace does not
 * stand exactly once in `source`, so that a changed file cannot quietly turn a mutant into none.
 */
export const applyMutant = ({ file, from, to, what }: Mutant, source: string): string => {
  const [before, after, ...more] = source.split(from)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(
      `"${what}" expects its text once in ${file}, and it stands there ${more.length === 0 ? 0 : more.length + 1} times. Adapt \`from\`: ${from}`,
    )
  return `${before}${to}${after}`
}
