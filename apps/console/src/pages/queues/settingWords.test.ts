import { testSettingWords } from '@kiroku/protocol/wordsContract'
import { describe } from 'vitest'
import { changesOf } from './settingDraft.ts'

describe('the console takes the words of the command line', () => {
  testSettingWords((setting, text) => {
    const { changes, errors } = changesOf({ [setting]: text }, {})
    if (errors[setting] !== undefined) throw new Error(errors[setting])
    return changes[setting]
  })
})
