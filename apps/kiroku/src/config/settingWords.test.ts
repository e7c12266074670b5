import { testSettingWords } from '@kiroku/protocol/wordsContract'
import { describe } from 'vitest'
import { runTree, type ParsedCommand } from '../cli/Cli.ts'
import { tree } from '../cli/tree.ts'
import { queueConfigOf, queueFlags } from './queueFlags.ts'

const flagsOf = async (argv: readonly string[]): Promise<ParsedCommand['flags']> => {
  let flags: ParsedCommand['flags'] = {}
  await runTree(tree, '0', argv, (_, parsed) => {
    flags = parsed.flags
    return Promise.resolve()
  })
  return flags
}

describe('the command line takes the words of the console', () => {
  testSettingWords(async (setting, text) => {
    const { flag } = queueFlags.find(({ key }) => key === setting)!
    const flags = await flagsOf(['queue', 'create', 'mail', `--${flag}=${text}`])
    return queueConfigOf({ text: (name) => flags[name] as string | undefined })[setting]
  })
})
