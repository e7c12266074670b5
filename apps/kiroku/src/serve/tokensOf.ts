import { readFile, stat } from 'node:fs/promises'
import { parseTokens, type Token, type Tokens } from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'
import type { Logger } from './Logger.ts'

/** Where tokens are configured. */
type TokenSettings = Pick<Settings, 'tokens' | 'tokensFile'>

/** How often the file of tokens is looked at, in ms. */
const lookMs = 2_000

/** The tokens of the settings and of their file. Errors: `InvalidConfig`. */
export const readTokens = async ({ tokens, tokensFile }: TokenSettings): Promise<Token[]> => {
  const read: string[] = []
  if (tokensFile !== undefined)
    read.push(
      await readFile(tokensFile, 'utf8').catch((cause: unknown) => {
        throw new KirokuError('InvalidConfig', `cannot read the tokens in ${tokensFile}`, { cause })
      }),
    )
  if (tokens !== undefined) read.push(tokens)
  return parseTokens(read.join('\n'))
}

/** Takes the tokens of a file again whenever it changed; one that is wrong changes nothing. Returns the function that stops it. */
export const followTokens = (tokens: Tokens, settings: TokenSettings, logger: Logger): (() => void) => {
  const { tokensFile } = settings
  if (tokensFile === undefined) return () => {}
  const stampOf = (): Promise<string> =>
    stat(tokensFile).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => 'gone',
    )
  let stamp = stampOf()
  const look = async (): Promise<void> => {
    const [before, now] = [await stamp, await stampOf()]
    if (now === before) return
    stamp = Promise.resolve(now)
    try {
      const read = await readTokens(settings)
      tokens.replace(read)
      logger('info', 'tokens read again', { tokens: read.length })
    } catch (error) {
      logger('error', 'tokens not read again; the earlier ones hold', { error })
    }
  }
  const looking = setInterval(() => void look(), lookMs)
  looking.unref()
  return () => clearInterval(looking)
}
