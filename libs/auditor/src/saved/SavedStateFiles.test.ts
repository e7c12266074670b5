import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { savedStateContract } from '@kiroku/audit/contract'
import { PartitionState, snapshot } from '@kiroku/partition'
import { temporaryFolder, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SavedStateFiles } from './SavedStateFiles.ts'

let folder: TemporaryFolder
let count = 0
const next = (): string => join(folder.path, String(++count))

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder.remove())

savedStateContract('a disk', {
  open: (bytesMax) =>
    Promise.resolve(new SavedStateFiles(next(), bytesMax === undefined ? {} : { bytesMax })),
})

describe('a file', () => {
  const moment = {
    partition: 0,
    seq: 7,
    work: 70,
    hash: new Uint8Array(32),
    snapshot: snapshot(new PartitionState(0)),
  }
  const stored = async (): Promise<{ store: SavedStateFiles; at: string; path: string }> => {
    const at = next()
    const store = new SavedStateFiles(at)
    await store.put(moment)
    const [name] = readdirSync(join(at, 'moments', '0')) as [string]
    return { store, at, path: join(at, 'moments', '0', name) }
  }

  it('can be read by the next process', async () => {
    const { at } = await stored()
    expect(await new SavedStateFiles(at).get(0, 7)).toEqual(moment)
  })

  it.each(['the head', 'the digest', 'the content'])('with a wrong byte in %s is dropped', async (part) => {
    const { store, path } = await stored()
    const bytes = readFileSync(path)
    const place = { 'the head': 1, 'the digest': 10, 'the content': bytes.length - 3 }[part]!
    bytes[place]! ^= 1
    writeFileSync(path, bytes)
    expect(await store.get(0, 7)).toBeUndefined()
    expect(await store.list(0)).toEqual([])
  })

  it.each([-2, 2])('with a snapshot of another version is dropped: ours and %i', async (more) => {
    const store = new SavedStateFiles(next())
    const version = (moment.snapshot.version + more) as typeof moment.snapshot.version
    await store.put({ ...moment, snapshot: { ...moment.snapshot, version } })
    expect(await store.get(0, 7)).toBeUndefined()
    expect(await store.list(0)).toEqual([])
  })

  it('that a crash left half written is removed with the next one', async () => {
    const { store, at, path } = await stored()
    writeFileSync(`${path}.new`, 'half')
    await store.put({ ...moment, seq: 8 })
    expect(readdirSync(join(at, 'moments', '0')).filter((name) => name.endsWith('.new'))).toEqual([])
  })

  it('that is cut off is dropped', async () => {
    const { store, path } = await stored()
    writeFileSync(path, readFileSync(path).subarray(0, 50))
    expect(await store.get(0, 7)).toBeUndefined()
  })

  it('is left alone by a read-only process', async () => {
    const { at } = await stored()
    const reader = new SavedStateFiles(at, { readOnly: true })
    await reader.put({ ...moment, seq: 8 })
    await reader.delete(0, 7)
    expect(await reader.list(0)).toMatchObject([{ seq: 7 }])
  })
})
