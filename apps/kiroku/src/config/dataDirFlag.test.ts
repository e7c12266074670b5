import { readLocated } from '@kiroku/worker/located'
import { expect, it } from 'vitest'
import type { ConfigFile } from './ConfigFile.ts'
import { dataDirFlag } from './dataDirFlag.ts'
import { resolveSettings } from './resolveSettings.ts'

const flagOf = (flags: Record<string, string>, written: object = {}, env: Record<string, string> = {}) => {
  const file = readLocated('kiroku.jsonc', JSON.stringify(written)) as ConfigFile
  return dataDirFlag(resolveSettings({ flags, env, file }), file)
}

it('commands find the usual data folder, and that of the configuration file', () => {
  expect(flagOf({})).toBe('')
  expect(flagOf({ 'data-dir': './.kiroku/' })).toBe('')
  expect(flagOf({}, { dataDir: '/var/lib/kiroku' })).toBe('')
})

it('they need to be told of one that a flag, a variable or another file named', () => {
  expect(flagOf({ 'data-dir': 'my data' })).toBe(" --data-dir 'my data'")
  expect(flagOf({}, {}, { KIROKU_DATA_DIR: '/data' })).toBe(' --data-dir /data')
  expect(flagOf({ config: 'other.jsonc' }, { dataDir: '/data' })).toBe(' --data-dir /data')
  expect(flagOf({ 'data-dir': '.kiroku' }, { dataDir: '/data' })).toBe(' --data-dir .kiroku')
})
