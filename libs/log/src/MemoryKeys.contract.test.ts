import { expect, test } from 'vitest'
import { keysContract } from './keysContract.ts'
import { MemoryKeys } from './MemoryKeys.ts'

keysContract('the key store in memory', () => {
  const keys = new MemoryKeys(60_000, Date.now)
  return Promise.resolve({
    open: () => Promise.resolve(keys),
    holds: (bytes) =>
      Promise.resolve(keys.stored.some((value) => Buffer.from(value).includes(Buffer.from(bytes)))),
    close: () => Promise.resolve(),
  })
})

test('an entry that is not written again expires', async () => {
  let now = 0
  const keys = new MemoryKeys(1_000, () => now)
  await keys.put('a', new Uint8Array(1), 0)
  now = 999
  expect(await keys.get('a')).toBeDefined()
  now = 1_000
  expect(await keys.get('a')).toBeUndefined()
})
