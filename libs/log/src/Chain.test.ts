import type { LogEvent } from '@kiroku/protocol'
import { beforeEach, describe, expect, test } from 'vitest'
import { readChain, type ChainEntry, type ReadChainOptions } from './Chain.ts'
import { encodeBodyRecord, encodeRecord } from './FrameCodec.ts'
import type { PartitionLog } from './Log.ts'
import { createMemoryLog, type MemoryLog } from './MemoryLog.ts'
import { checksum, layout, zeroHash } from './RecordLayout.ts'

const owner = (epoch: number): LogEvent => ({ type: 'OwnerChanged', epoch, node: 'n', part: 1, of: 1 })
const trimmed: LogEvent = { type: 'Trimmed', upTo: 0 }

let log: MemoryLog
let partition: PartitionLog
let hashes: Uint8Array[]

/** Appends a frame after Kiroku's last record, and remembers its hash by sequence. */
const frame = async (epoch: number, event: LogEvent = trimmed, prevHash = hashes.at(-1)!) => {
  const { bytes, hash } = encodeRecord({ epoch, at: 1, events: [event], sections: [] }, prevHash)
  await append(bytes, hash)
}
const append = async (bytes: Uint8Array, hash: Uint8Array) => {
  const { lastSeq } = await partition.state()
  await partition.append(bytes, lastSeq)
  hashes.push(hash)
}
const read = async (options?: ReadChainOptions): Promise<ChainEntry[]> => {
  const entries: ChainEntry[] = []
  for await (const entry of readChain(partition, options)) entries.push(entry)
  return entries
}
const damageAt = (seq: number, id = 'LogDamaged') => expect.objectContaining({ id, seq })

beforeEach(async () => {
  log = createMemoryLog()
  partition = await log.partition(0)
  hashes = [zeroHash]
  await frame(1, owner(1))
  await frame(1)
  await append(...record(encodeBodyRecord({ epoch: 1, body: new Uint8Array(9) }, hashes.at(-1)!)))
  await frame(1)
  await frame(2, owner(2))
  await frame(2)
})
const record = ({ bytes, hash }: { bytes: Uint8Array; hash: Uint8Array }) => [bytes, hash] as const

describe('a log as it was written', () => {
  test('is read in order, with frames and large bodies', async () => {
    const entries = await read({ deep: true })
    expect(entries.map((e) => e.seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(entries.map((e) => e.kind === 'ours' && e.record.kind)).toEqual([
      'frame',
      'frame',
      'body',
      'frame',
      'frame',
      'frame',
    ])
  })
  test('can be read on from where a read ended, by its records alone', async () => {
    const asked: string[] = []
    const { state, get } = partition
    partition.state = () => (asked.push('state'), state.call(partition))
    partition.get = (seq) => (asked.push('get'), get.call(partition, seq))
    const from = { seq: 2, hash: hashes[2]!, epoch: 1 }
    expect((await read({ from, toSeq: 6, continues: true })).map((e) => e.seq)).toEqual([3, 4, 5, 6])
    expect(asked).toEqual([])
    const other = { ...from, hash: hashes[1]! }
    await expect(read({ from: other, toSeq: 6, continues: true })).rejects.toEqual(damageAt(3))
    await expect(read({ from, toSeq: 7, continues: true })).rejects.toEqual(damageAt(7))
  })
  test('can be read from and up to a known place', async () => {
    const entries = await read({ from: { seq: 2, hash: hashes[2]!, epoch: 1 }, toSeq: 4 })
    expect(entries.map((e) => e.seq)).toEqual([3, 4])
  })
  test('can be read after its beginning was trimmed', async () => {
    await partition.trim(3)
    expect((await read()).map((e) => e.seq)).toEqual([4, 5, 6])
    expect((await read({ from: { seq: 3, hash: hashes[3]! } })).map((e) => e.seq)).toEqual([4, 5, 6])
  })
  test('can be read when all of it was trimmed', async () => {
    await partition.trim(6)
    expect(await read({ from: { seq: 6, hash: hashes[6]! } })).toEqual([])
  })
  test('reports a foreign record and continues after it', async () => {
    log.faults.write(0, new TextEncoder().encode('stray'))
    await frame(2)
    const entries = await read()
    expect(entries.slice(-2)).toMatchObject([
      { kind: 'foreign', seq: 7, bytes: 5 },
      { kind: 'ours', seq: 8 },
    ])
  })
})

describe('damage is found with its sequence:', () => {
  test('a flipped byte', async () => {
    log.faults.damage(0, 4)
    await expect(read()).rejects.toEqual(damageAt(4))
  })
  test('a flipped byte in the magic, which does not pass as a foreign record', async () => {
    log.faults.damage(0, 6, 0)
    await expect(read()).rejects.toEqual(damageAt(6))
  })
  test('a hole', async () => {
    log.faults.loseRecord(0, 3)
    await expect(read()).rejects.toEqual(damageAt(3))
  })
  test('a hole at the end', async () => {
    log.faults.loseRecord(0, 6)
    await expect(read()).rejects.toEqual(damageAt(6))
  })
  test('a hole at the beginning', async () => {
    log.faults.loseRecord(0, 1)
    await expect(read()).rejects.toEqual(damageAt(1))
  })
  test('a record trimmed beyond the known place', async () => {
    await partition.trim(4)
    await expect(read({ from: { seq: 2, hash: hashes[2]! } })).rejects.toEqual(damageAt(3))
  })
  test('another history with the same sequences', async () => {
    log.faults.loseTail(0, 2)
    hashes.splice(-2)
    await frame(1, owner(9), hashes[1])
    await expect(read()).rejects.toEqual(damageAt(5))
  })
  test('another record at the known place', async () => {
    await expect(read({ from: { seq: 2, hash: hashes[3]! } })).rejects.toEqual(damageAt(2))
  })
  test('a lost tail that the known place reveals', async () => {
    const from = { seq: 6, hash: hashes[6]! }
    log.faults.loseTail(0, 2)
    await expect(read({ from })).rejects.toEqual(damageAt(5, 'LogShortened'))
  })
  test('a frame of an earlier owner after one of a later', async () => {
    await frame(1)
    await expect(read()).rejects.toEqual(damageAt(7))
  })
  test('an epoch that was never announced', async () => {
    await frame(3)
    await expect(read()).rejects.toEqual(damageAt(7))
  })
  test('a body that is not what was written, although the checksum is right', async () => {
    const stored = Buffer.from((await partition.get(3))!.data)
    log.faults.loseTail(0, 4)
    stored[stored.length - 1]! ^= 1
    stored.writeUInt32LE(checksum(stored), layout.crc)
    log.faults.write(0, stored)
    await expect(read({ deep: true })).rejects.toEqual(damageAt(3))
  })
  test('a frame of a newer version', async () => {
    const stored = Buffer.from((await partition.get(6))!.data)
    log.faults.loseTail(0, 1)
    stored[layout.version] = 99
    stored.writeUInt32LE(checksum(stored), layout.crc)
    log.faults.write(0, stored)
    await expect(read()).rejects.toEqual(damageAt(6, 'FutureVersion'))
  })
})

describe('a repair', () => {
  test('is known to readers of the past that start within what it gave up, or end before it', async () => {
    const { lastSeq } = await partition.state()
    const from = lastSeq - 1
    const repaired: LogEvent = {
      type: 'Repaired',
      from,
      upTo: lastSeq,
      hash: '',
      skip: 0,
      note: '',
      by: { name: 'n', origin: 'o' },
    }
    const bytes = encodeRecord(
      { epoch: 2, at: 1, events: [owner(2), repaired], sections: [] },
      hashes[from - 1]!,
    )
    await append(bytes.bytes, bytes.hash)
    const seqs = async (options: ReadChainOptions) =>
      (await read(options)).filter(({ kind }) => kind === 'ours').map(({ seq }) => seq)
    await expect(read({ fromSeq: lastSeq })).rejects.toEqual(damageAt(lastSeq + 1))
    expect(await seqs({ fromSeq: lastSeq, skipsVoid: true })).toEqual([lastSeq + 1])
    log.faults.loseRecord(0, from)
    expect(await seqs({ fromSeq: from - 1, toSeq: lastSeq, skipsVoid: true })).toEqual([from - 1])
  })

  const by = { name: 'a', origin: 'cli' }
  const repair = async (epoch: number, from: number, upTo: number, prevHash: Uint8Array, hash = '') => {
    const repaired: LogEvent = { type: 'Repaired', from, upTo, hash, skip: 0, note: 'disk', by }
    const events = [owner(epoch), repaired]
    await append(...record(encodeRecord({ epoch, at: 1, events, sections: [] }, prevHash)))
  }

  test('closes the gap: what is lost is reported and the rest is read', async () => {
    log.faults.damage(0, 4)
    await repair(3, 4, 6, hashes[3]!)
    await frame(3)
    const entries = await read()
    expect(entries.map((e) => [e.kind, e.seq])).toEqual([
      ['ours', 1],
      ['ours', 2],
      ['ours', 3],
      ['lost', 4],
      ['ours', 7],
      ['ours', 8],
    ])
    expect(entries[3]).toMatchObject({ upTo: 6, bridged: false, damage: { seq: 4 } })
  })
  test('can be followed by another one', async () => {
    log.faults.damage(0, 2)
    await repair(3, 2, 6, hashes[1]!)
    await frame(3)
    log.faults.damage(0, 8)
    await repair(4, 8, 8, hashes[7]!)
    expect((await read()).map((e) => [e.kind, e.seq])).toEqual([
      ['ours', 1],
      ['lost', 2],
      ['ours', 7],
      ['lost', 8],
      ['ours', 9],
    ])
  })
  test('can bridge damage whose consequences a checkpoint holds', async () => {
    log.faults.damage(0, 2)
    log.faults.loseRecord(0, 3)
    await repair(3, 2, 4, hashes[6]!, Buffer.from(hashes[4]!).toString('hex'))
    const entries = await read()
    expect(entries.map((e) => [e.kind, e.seq])).toEqual([
      ['ours', 1],
      ['lost', 2],
      ['ours', 5],
      ['ours', 6],
      ['ours', 7],
    ])
    expect(entries[1]).toMatchObject({ upTo: 4, bridged: true })
  })
  test('does not excuse damage after it', async () => {
    log.faults.damage(0, 4)
    await repair(3, 4, 6, hashes[3]!)
    await frame(3)
    log.faults.damage(0, 8)
    await expect(read()).rejects.toEqual(damageAt(8))
  })
  test('has no effect when it continues from elsewhere, gives up less, or has no new epoch', async () => {
    log.faults.damage(0, 4)
    await repair(3, 4, 6, hashes[2]!)
    await repair(3, 4, 5, hashes[3]!)
    await repair(1, 4, 8, hashes[3]!)
    await repair(3, 5, 9, hashes[3]!)
    await expect(read()).rejects.toEqual(damageAt(4))
  })
})
