import type { CommandSpec } from './CommandSpec.ts'

/** What the word under the cursor names. */
export interface Named {
  readonly kinds: readonly ('queue' | 'message')[]
  /** What is there of the word. */
  readonly begun: string
  /** The folder of the engine that knows, where the line names one. */
  readonly dataDir: string | undefined
}

/** What a word names, by the name of its argument or by how the help writes the flag's value. */
const kindsOf = (shown: string | undefined): Named['kinds'] => {
  if (shown === 'queue' || shown === 'QUEUE') return ['queue']
  if (shown === 'id' || shown === 'MESSAGE') return ['message']
  return shown === 'what' ? ['queue', 'message'] : []
}

/** The flags of a command, and of all beneath it, whose value names something. */
export const namingFlags = ({ flags = [], subcommands = [] }: CommandSpec): readonly string[] => [
  ...flags.filter(({ metavar }) => kindsOf(metavar).length > 0).map(({ name }) => name),
  ...subcommands.flatMap(namingFlags),
]

/** The flag's value as the help writes it; undefined where it takes none. */
const valueOf = (spec: CommandSpec, word: string): string | undefined => {
  const flag = spec.flags?.find(({ name, alias }) => word === `--${name}` || word === `-${alias}`)
  if (flag !== undefined) return flag.kind === 'boolean' ? undefined : (flag.metavar ?? 'VALUE')
  return word.startsWith('--no-') || word === '--json' || spec.settings === undefined ? undefined : 'VALUE'
}

/** Finds what the last of these words names, where a name of the engine's is expected there. */
export const namedBy = (root: CommandSpec, words: readonly string[]): Named => {
  // A shell may take the sign for a word of its own.
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
  // The queue that is created has no name yet that anybody knows.
  const argument = spec.name === 'create' ? undefined : spec.arguments?.[expected]?.name
  const kinds = kindsOf(value ?? (begun.startsWith('-') ? undefined : argument))
  return { kinds, begun, dataDir }
}
