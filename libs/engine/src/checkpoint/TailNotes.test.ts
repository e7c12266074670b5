import { createMemoryLog, encodeRecord, zeroHash } from '@kiroku/log'
import { describe, expect, it } from 'vitest'
import { TailNotes, type NoteFiles } from './TailNotes.ts'

/** A log of three records, and notes that its last one was stored. */
const given = async () => {
  const log = createMemoryLog({ partitions: 1 })
  const part = await log.partition(0)
  let hash: Uint8Array = zeroHash
  for (let at = 1; at <= 3; at++) {
    const record = encodeRecord({ epoch: 2, at, events: [], sections: [] }, hash)
    log.faults.write(0, record.bytes)
    hash = record.hash
  }
  const stored = new Map<string, string>()
  const files: NoteFiles = {
    read: (file) => stored.get(file)!,
    write: async (file, text) => void stored.set(file, text),
  }
  const notes = new TailNotes(files, 'i')
  notes.note(0, { seq: 3, hash }, 2, 0)
  await notes.flush(0)
  return { log, part, stored, notes: new TailNotes(files, 'i') }
}
const other = encodeRecord({ epoch: 2, at: 9, events: [], sections: [] }, zeroHash).bytes

describe('a log that is held against the note of its last record', () => {
  it('passes where the record is there, or was trimmed with what lay before it', async () => {
    const { log, part, notes } = await given()
    await notes.check(part, 0)
    log.faults.write(0, other)
    await part.trim(3)
    await notes.check(part, 0)
  })

  it('is shortened where it ends before, be it by one record', async () => {
    const { log, part, notes } = await given()
    log.faults.loseTail(0, 1)
    await expect(notes.check(part, 0)).rejects.toMatchObject({
      id: 'LogShortened',
      message: expect.stringContaining('ends at 2, but this node saw 3 stored') as string,
    })
  })

  it.each([
    ['another record', other],
    ['a foreign record', new TextEncoder().encode('stray')],
  ])('is damaged where %s stands in its place', async (_, record) => {
    const { log, part, notes } = await given()
    log.faults.loseTail(0, 1)
    log.faults.write(0, record)
    await expect(notes.check(part, 0)).rejects.toMatchObject({ id: 'LogDamaged' })
  })

  it('passes once a later ownership repaired it, and not by one that the note knows', async () => {
    const { log, part, notes } = await given()
    log.faults.loseTail(0, 1)
    await expect(notes.check(part, 2)).rejects.toMatchObject({ id: 'LogShortened' })
    await notes.check(part, 3)
  })

  it('passes whatever bit of the note is wrong, which is said', async () => {
    const { part, stored } = await given()
    const [[file, text]] = [...stored] as [[string, string]]
    let damaged = 0
    const files: NoteFiles = { read: () => stored.get(file)!, write: async () => {} }
    const notes = new TailNotes(files, 'i', '', () => damaged++)
    await notes.check(part, 0)
    for (let bit = 0; bit < text.length * 8; bit++) {
      const bytes = Buffer.from(text)
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      stored.set(file, bytes.toString())
      await notes.check(part, 0)
    }
    expect(damaged).toBeGreaterThan(text.length * 7)
    for (const other of ['', 'null', '[]', '{}', '{"epoch":1,"seq":9,"hash":{"toString":1}}']) {
      stored.set(file, other)
      await notes.check(part, 0)
    }
  })

  it('is held against a note of an older version, which has no sum', async () => {
    const { log, part, notes, stored } = await given()
    for (const [file, text] of stored) stored.set(file, text.replace(/,"sum":\d+/, ''))
    log.faults.loseTail(0, 1)
    await expect(notes.check(part, 0)).rejects.toMatchObject({ id: 'LogShortened' })
  })
})
