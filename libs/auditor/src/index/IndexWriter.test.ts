import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { State } from '@kiroku/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openIndexToRead, openIndexToWrite } from './IndexDatabase.ts'
import { IndexWriter } from './IndexWriter.ts'

const hash = new Uint8Array(32)
let folder: string

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kiroku-index-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Messages 1 to 10 of a queue, sent in frames 1 to 10 and final, except number 3. */
const fill = (writer: IndexWriter): void => {
  const queue = writer.queue(0, 1)
  const stream = writer.stream(queue, 0, 'main')
  for (let n = 1; n <= 10; n++) {
    const row = writer.add(stream, n)
    row.state = n === 3 ? State.Available : State.Committed
    row.at = row.seq = row.sentSeq = n
    writer.fields(queue, n, [{ path: 'n', value: n }])
    writer.touch(queue, 0, n)
  }
  writer.reach(0, { seq: 10, at: 10, hash, events: 10, began: 0, knownFrom: 0 })
  writer.flush()
}

const numbers = (writer: IndexWriter, table = 'messages'): unknown[] =>
  writer.database
    .prepare(`SELECT DISTINCT number FROM ${table} ORDER BY number`)
    .all()
    .map((row) => row['number'])

describe('the index', () => {
  it('forgets what was trimmed from the log, but nothing live', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined))
    fill(writer)
    writer.trim(0, 6)
    writer.flush()
    expect(numbers(writer)).toEqual([3, 7, 8, 9, 10])
    expect(numbers(writer, 'fields')).toEqual([3, 7, 8, 9, 10])
    const touches = writer.database.prepare('SELECT seq FROM touches ORDER BY seq').all()
    expect(touches.map(({ seq }) => seq)).toEqual([7, 8, 9, 10])
    writer.close()
  })

  it('keeps to its limit: final messages that changed longest ago go first', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined), { rowsMax: 6 })
    fill(writer)
    const left = numbers(writer)
    expect(left).toContain(3)
    expect(left).toContain(10)
    expect(left.length).toBeLessThanOrEqual(6)
    writer.close()
  })

  it('is kept on a disk, where others read it while it is written', () => {
    const writer = new IndexWriter(openIndexToWrite(folder))
    expect(openIndexToRead(join(folder, 'elsewhere'))).toBeUndefined()
    const reader = openIndexToRead(folder)!
    const count = () => reader.prepare('SELECT count(*) AS count FROM messages').get()!['count']
    expect(count()).toBe(0)
    fill(writer)
    expect(count()).toBe(10)
    reader.close()
    writer.close()
    const again = new IndexWriter(openIndexToWrite(folder))
    expect(again.reached(0)).toMatchObject({ seq: 10, events: 10 })
    again.close()
  })

  it('is rebuilt if it is of another version, or not an index at all', () => {
    const writer = new IndexWriter(openIndexToWrite(folder))
    fill(writer)
    writer.database.exec("UPDATE meta SET value = '0' WHERE key = 'version'")
    writer.close()
    expect(openIndexToRead(folder)).toBeUndefined()
    const anew = openIndexToWrite(folder)
    expect(anew.prepare('SELECT count(*) AS count FROM messages').get()).toMatchObject({ count: 0 })
    anew.close()
    for (const end of ['-wal', '-shm']) rmSync(join(folder, `index.sqlite${end}`), { force: true })
    writeFileSync(join(folder, 'index.sqlite'), 'this is no database')
    expect(openIndexToRead(folder)).toBeUndefined()
    openIndexToWrite(folder).close()
    expect(openIndexToRead(folder)).toBeDefined()
  })
})
