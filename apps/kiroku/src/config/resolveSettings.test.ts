import { describe, expect, it } from 'vitest'
import { readLocated } from '@kiroku/worker/located'
import type { ConfigFile } from './ConfigFile.ts'
import { resolveSettings } from './resolveSettings.ts'
import { settingsTable } from './settings.ts'

const written = (root: object): ConfigFile =>
  readLocated('kiroku.jsonc', JSON.stringify(root, null, 2)) as ConfigFile

const none = { flags: {}, env: {}, file: written({}) }

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
      httpBody: 16 * 1024 ** 2,
      log: 'main',
    })
    expect(settings.nats).toBeUndefined()
    // An existing log keeps what it was created with.
    expect(settings.record).toBeUndefined()
    expect(settings.recordBytes).toBeUndefined()
  })

  it('take the flag before the environment before the file before the default', () => {
    const file = written({ log: 'file' })
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
    [{ ...none, flags: { weight: '101' } }, /--weight: "101" is not a whole number from 0 to 100/],
    [{ ...none, flags: { 'dead-after': '20ms' } }, /--dead-after: "20ms" is not from 1s to 1m/],
    [{ ...none, env: { KIROKU_DEAD_AFTER: '2m' } }, /KIROKU_DEAD_AFTER: "2m" is not from 1s to 1m/],
    [
      { ...none, file: written({ log: 'a', recordBytes: '3 buckets' }) },
      /kiroku.jsonc:3:3: recordBytes: "3 buckets" is not a size/,
    ],
    [{ ...none, env: { KIROKU_LOG_FORMAT: 'xml' } }, /"xml" is not one of human, json/],
    [
      { ...none, file: written({ partitons: 3 }) },
      /kiroku.jsonc:2:3: partitons is not a setting. Did you mean "partitions"\?/,
    ],
    [{ ...none, file: written({ config: 'x' }) }, /config is not a setting/],
    [{ ...none, file: written({ log: { name: 'x' } }) }, /log must be a string or a number/],
  ])('name the source and the value that is wrong: %j', (sources, message) => {
    const error = failure(() => resolveSettings(sources))
    expect(error.id).toBe('InvalidConfig')
    expect(error.message).toMatch(message)
  })
})
