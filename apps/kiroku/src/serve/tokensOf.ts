import { readFile } from 'node:fs/promises'
import { parseTokens, type Token, type Tokens } from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'
import type { Logger } from './Logger.ts'
import { followFiles } from './followFiles.ts'

/** Where tokens are configured. */
type TokenSettings = Pick<Settings, 'tokens' | 'tokensFile'>

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
  return followFiles(tokensFile === undefined ? [] : [tokensFile], async () => {
    try {
      const read = await readTokens(settings)
      tokens.replace(read)
      logger('info', 'tokens read again', { tokens: read.length })
    } catch (error) {
      logger('error', 'tokens not read again; the earlier ones hold', { error })
    }
  })
}
