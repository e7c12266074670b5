import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { KeyReader } from './KeyReader.ts'
import {
  blockEntry,
  entryOf,
  groupEntry,
  keyIn,
  keyIds,
  messageKeyName,
  newBlock,
  withKeysFrom,
  withNewKey,
  withoutMessages,
} from './keyNames.ts'
import { MemoryKeys } from './MemoryKeys.ts'
import { isSealed, lock, readSealed, unlock, writeSealed } from './Sealed.ts'

const plain = Buffer.from('the plain text of a message')
const failure = (id: string) => expect.objectContaining({ id })

test('a box opens only with its key and name, and shows nothing of the plain text', () => {
  const key = randomBytes(32)
  const box = lock(plain, 'm.0.1.7', key)
  expect(Buffer.from(unlock(box, 'm.0.1.7', key)!).equals(plain)).toBe(true)
  expect(Buffer.from(box).includes('plain')).toBe(false)
  expect(unlock(box, 'm.0.1.8', key)).toBeUndefined()
  expect(unlock(box, 'm.0.1.7', randomBytes(32))).toBeUndefined()
  box[20]! ^= 1
  expect(unlock(box, 'm.0.1.7', key)).toBeUndefined()
})

test('equal messages under one key encrypt differently', () => {
  const key = randomBytes(32)
  expect(Buffer.compare(lock(plain, 'k', key), lock(plain, 'k', key))).not.toBe(0)
})

test('a sealed message names its keys, and what the record says anyway', () => {
  const head = { keys: ['m.0.1.7'], meta: { tag: 'a', group: 'g' } }
  const bytes = writeSealed({ head, box: plain })
  expect(isSealed(bytes)).toBe(true)
  expect(readSealed(bytes).head).toEqual(head)
  expect(Buffer.from(readSealed(bytes).box).equals(plain)).toBe(true)
  expect(isSealed(plain)).toBe(false)
})

test('a sealed message that is cut short, or of a newer version, is reported as such', () => {
  const bytes = writeSealed({ head: { keys: ['m.0.1.7'] }, box: plain })
  expect(() => readSealed(bytes.subarray(0, 12))).toThrow(failure('LogDamaged'))
  const newer = bytes.slice()
  newer[3] = 2
  expect(() => readSealed(newer)).toThrow(failure('FutureVersion'))
})

test('a block holds a key for each of its numbers, until one is taken out', () => {
  const block = newBlock()
  const keys = [1, 2, 128].map((n) => Buffer.from(keyIn(messageKeyName(0, 1, n), block)!).toString('hex'))
  expect(new Set(keys).size).toBe(3)
  const left = withoutMessages(block, [2])
  expect(keyIn('m.0.1.2', left)).toBeUndefined()
  expect(Buffer.from(keyIn('m.0.1.1', left)!).toString('hex')).toBe(keys[0])
  expect([1, 128, 129, 256].map((n) => blockEntry(0, 1, n))).toEqual([
    'm.0.1.0',
    'm.0.1.0',
    'm.0.1.1',
    'm.0.1.1',
  ])
  expect(entryOf('m.0.1.129')).toBe('m.0.1.1')
})

test('a group continues with a new key, and only that one is left of it', () => {
  const first = withNewKey(new Uint8Array(0))
  const both = withNewKey(first)
  const [before, now] = keyIds(both) as [string, string]
  const entry = groupEntry(0, 1, 'customer 42')
  expect(entry).not.toContain('customer')
  expect(keyIn(`${entry}.${before}`, both)).toEqual(keyIn(`${entry}.${before}`, first))
  const left = withKeysFrom(both, now)
  expect(keyIn(`${entry}.${before}`, left)).toBeUndefined()
  expect(keyIn(`${entry}.${now}`, left)).toHaveLength(32)
  expect(entryOf(`${entry}.${now}`)).toBe(entry)
  expect(withKeysFrom(left, before)).toBe(left)
})

test('a message under several keys is erased with any of them, and lost with a missing entry', async () => {
  const keys = new MemoryKeys(60_000, Date.now)
  const [outer, inner] = [newBlock(), newBlock()]
  const outerAt = (await keys.put('m.1.2.0', outer, 0))!
  await keys.put('m.0.1.0', inner, 0)
  const box = lock(lock(plain, 'm.0.1.7', keyIn('m.0.1.7', inner)!), 'm.1.2.3', keyIn('m.1.2.3', outer)!)
  const bytes = writeSealed({ head: { keys: ['m.1.2.3', 'm.0.1.7'] }, box })
  const opened = await new KeyReader(keys).open(bytes)
  expect(opened.state === 'open' && Buffer.from(opened.message).equals(plain)).toBe(true)
  await keys.put('m.1.2.0', withoutMessages(outer, [3]), outerAt)
  expect((await new KeyReader(keys).open(bytes)).state).toBe('erased')
  await keys.put('m.1.2.0', newBlock(), (await keys.get('m.1.2.0'))!.revision)
  expect((await new KeyReader(keys).open(bytes)).state).toBe('lost')
  keys.lose()
  expect((await new KeyReader(keys).open(bytes)).state).toBe('lost')
  expect((await new KeyReader(keys).open(plain)).state).toBe('open')
})
