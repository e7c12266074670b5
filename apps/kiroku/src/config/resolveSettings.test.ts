import { writeFile } from 'node:fs/promises'
import { temporaryFolder } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { readConfigFile, resolveSettings } from './resolveSettings.ts'
import { settingsTable } from './settings.ts'

const none = { flags: {}, env: {}, file: {} }

const failure = (run: () => unknown): { id: string; message: string } => {
  try {
    run()
  } catch (error) {
    return error as { id: string; message: string }
  }
  throw new Error('no error')
}

describe('the settings', () => {
  it('have each key, flag and variable once', () => {
    for (const column of ['key', 'flag', 'env'] as const)
      expect(new Set(settingsTable.map((row) => row[column])).size).toBe(settingsTable.length)
  })

  it('fall back to defaults, read in their units', () => {
    const settings = resolveSettings(none)
    expect(settings).toMatchObject({
      partitions: 4,
      record: 7 * 86_400_000,
      recordBytes: 20 * 1024 ** 3,
      log: 'main',
    })
    expect(settings.nats).toBeUndefined()
  })

  it('take the flag before the environment before the file before the default', () => {
    const file = { log: 'file' }
    const env = { KIROKU_LOG: 'env' }
    const flags = { log: 'flag' }
    expect(resolveSettings({ flags, env, file }).log).toBe('flag')
    expect(resolveSettings({ flags: {}, env, file }).log).toBe('env')
    expect(resolveSettings({ flags: {}, env: { KIROKU_LOG: '' }, file }).log).toBe('file')
  })

  it.each([
    [{ ...none, flags: { partitions: 'many' } }, /--partitions: "many" is not a whole number from 1/],
    [{ ...none, flags: { partitions: '0' } }, /from 1/],
    [{ ...none, env: { KIROKU_RECORD: '7' } }, /KIROKU_RECORD: "7" is not a duration/],
    [{ ...none, file: { recordBytes: '3 buckets' } }, /recordBytes: "3 buckets" is not a size/],
    [{ ...none, env: { KIROKU_LOG_FORMAT: 'xml' } }, /"xml" is not one of human, json/],
    [{ ...none, file: { partitons: 3 } }, /"partitons" is not a setting/],
    [{ ...none, file: { log: { name: 'x' } } }, /log must be a string or a number/],
  ])('name the source and the value that is wrong: %j', (sources, message) => {
    const error = failure(() => resolveSettings(sources))
    expect(error.id).toBe('InvalidConfig')
    expect(error.message).toMatch(message)
  })
})

describe('kiroku.jsonc', () => {
  it('may hold comments and trailing commas, and may be absent', async () => {
    await using folder = await temporaryFolder()
    expect(readConfigFile(folder.path)).toEqual({})
    await writeFile(`${folder.path}/kiroku.jsonc`, '{ // mine\n "log": "a",\n}')
    expect(readConfigFile(folder.path)).toEqual({ log: 'a' })
  })

  it.each([
    ['{\n "log": \n}', /line 3/],
    ['[]', /must hold one object/],
    ['', /./],
  ])('that is malformed is refused with its line: %j', async (text, message) => {
    await using folder = await temporaryFolder()
    await writeFile(`${folder.path}/kiroku.jsonc`, text)
    const error = failure(() => readConfigFile(folder.path))
    expect(error.id).toBe('MalformedJson')
    expect(error.message).toMatch(message)
  })
})
