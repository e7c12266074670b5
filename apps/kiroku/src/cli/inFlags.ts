import { KirokuError } from '@kiroku/protocol'
import type { CommandSpec } from './CommandSpec.ts'

/** An error about an option of the client, in the words of the command: it names the flag that set the option. */
export const inFlags = (error: KirokuError, { flags = [] }: Pick<CommandSpec, 'flags'>): KirokuError => {
  const [, option, what] = /^(\w+) (must be .+)$/s.exec(error.message) ?? []
  const name = option
    ?.replace(/(Ms|Bytes|Max)$/, '')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return flags.some((flag) => flag.name === name)
    ? new KirokuError(error.id, `--${name} ${what}`, { cause: error })
    : error
}
