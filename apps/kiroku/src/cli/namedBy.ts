import type { CommandSpec } from './CommandSpec.ts'

/** What the word under the cursor names. */
export interface Named {
  readonly kinds: readonly ('queue' | 'message')[]
  /** The word so far. */
  readonly begun: string
  /** The engine's folder, if the line names one. */
  readonly dataDir: string | undefined
}

/** What a word names, by the name of its argument or the form of the flag's value in the help. */
const kindsOf = (shown: string | undefined): Named['kinds'] => {
  if (shown === 'queue' || shown === 'QUEUE') return ['queue']
  if (shown === 'id' || shown === 'MESSAGE') return ['message']
  return shown === 'what' ? ['queue', 'message'] : []
}

/** The flags of a command and its subcommands whose value names something. */
export const namingFlags = ({ flags = [], subcommands = [] }: CommandSpec): readonly string[] => [
  ...flags.filter(({ metavar }) => kindsOf(metavar).length > 0).map(({ name }) => name),
  ...subcommands.flatMap(namingFlags),
]

/** The form of the flag's value in the help; undefined if it takes none. */
const valueOf = (spec: CommandSpec, word: string): string | undefined => {
  const flag = spec.flags?.find(({ name, alias }) => word === `--${name}` || word === `-${alias}`)
  if (flag !== undefined) return flag.kind === 'boolean' ? undefined : (flag.metavar ?? 'VALUE')
  return word.startsWith('--no-') || word === '--json' || word === '--raw' || spec.settings === undefined
    ? undefined
    : 'VALUE'
}

/** Finds what the last of these words names, if a name known to the engine is expected there. */
export const namedBy = (root: CommandSpec, words: readonly string[]): Named => {
  // A shell may treat the sign as a separate word.
  const line = words.flatMap((word) => (word.startsWith('--') ? word.split('=') : word === '=' ? [] : [word]))
  const begun = line.pop() ?? ''
  let spec = root
  let expected = 0
  let value: string | undefined
  let dataDir: string | undefined
  for (const [at, word] of line.entries()) {
    if (value !== undefined) {
      if (line[at - 1] === '--data-dir') dataDir = word
      value = undefined
    } else if (word.startsWith('-')) value = valueOf(spec, word)
    else {
      const inner = spec.subcommands?.find(({ name }) => name === word)
      if (inner === undefined) expected++
      else spec = inner
    }
  }
  // A queue that is being created has no known name yet.
  const argument = spec.name === 'create' ? undefined : spec.arguments?.[expected]?.name
  const kinds = kindsOf(value ?? (begun.startsWith('-') ? undefined : argument))
  return { kinds, begun, dataDir }
}
