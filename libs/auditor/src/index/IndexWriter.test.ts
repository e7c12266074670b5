import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tallyFields } from '@kiroku/audit'
import { State } from '@kiroku/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { openIndexToRead, openIndexToWrite } from './IndexDatabase.ts'
import { IndexWriter } from './IndexWriter.ts'
import { PartitionRows } from './PartitionRows.ts'

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

const sweep = (writer: IndexWriter): void => {
  while (writer.isSweepDue) writer.sweep()
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
    sweep(writer)
    expect(numbers(writer)).toEqual([3, 7, 8, 9, 10])
    expect(numbers(writer, 'fields')).toEqual([3, 7, 8, 9, 10])
    const touches = writer.database.prepare('SELECT seq FROM touches ORDER BY seq').all()
    expect(touches.map(({ seq }) => seq)).toEqual([7, 8, 9, 10])
    writer.close()
  })

  it('keeps to its limit: final messages that changed longest ago go first', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined), { rowsMax: 6 })
    fill(writer)
    sweep(writer)
    const left = numbers(writer)
    expect(left).toContain(3)
    expect(left).toContain(10)
    expect(left.length).toBeLessThanOrEqual(6)
    writer.close()
  })

  it('forgets a great deal in pieces, between which others have their turn, and goes on after a restart', () => {
    const many = 5 * limits.sweptRows
    const writer = new IndexWriter(openIndexToWrite(folder))
    const queue = writer.queue(0, 1)
    const stream = writer.stream(queue, 0, 'main')
    for (let n = 1; n <= many; n++) {
      const row = writer.add(stream, n)
      row.state = n === 3 ? State.Available : State.Committed
      row.at = row.seq = row.sentSeq = n
      writer.fields(queue, n, [{ path: 'n', value: n % 2 === 0 ? n : `text ${n}` }])
      writer.touch(queue, Math.floor(n / limits.bucketMessages), n)
      if (writer.isFull) writer.flush()
    }
    writer.flush()
    writer.trim(0, many - 1)
    writer.flush()
    let most = 0
    const count = (): number => {
      const rows = ['messages', 'fields', 'touches'].map((table) => `SELECT count(*) AS n FROM ${table}`)
      return rows.reduce((sum, sql) => sum + (writer.database.prepare(sql).get()!['n'] as number), 0)
    }
    for (let before = count(), i = 0; i < 3; i++) {
      writer.sweep()
      const after = count()
      most = Math.max(most, before - after)
      before = after
    }
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(2 * limits.sweptRows)
    writer.close()
    const again = new IndexWriter(openIndexToWrite(folder))
    expect(again.isSweepDue).toBe(true)
    sweep(again)
    expect(numbers(again)).toEqual([3, many])
    expect(numbers(again, 'fields')).toEqual([3, many])
    expect(again.database.prepare('SELECT seq FROM touches').all()).toEqual([{ seq: many }])
    again.close()
    const last = new IndexWriter(openIndexToWrite(folder))
    expect(last.isSweepDue).toBe(false)
    last.close()
  })

  it('keeps the values in bodies of messages that arrive while it forgets those before them', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined))
    fill(writer)
    writer.trim(0, 10)
    const stream = writer.stream(writer.queue(0, 1), 0, 'main')
    const arrive = (number: number): void => {
      const row = writer.add(stream, number)
      row.state = State.Available
      row.at = row.seq = row.sentSeq = number
      writer.fields(stream.queue, number, [{ path: 'n', value: number }])
    }
    arrive(11)
    for (let number = 12; writer.isSweepDue; number++) {
      writer.sweep()
      arrive(number)
    }
    writer.flush()
    expect(numbers(writer).slice(0, 3)).toEqual([3, 11, 12])
    expect(numbers(writer, 'fields')).toEqual(numbers(writer))
    writer.close()
  })

  it('forgets little of many queues in few pieces', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined))
    for (let id = 1; id <= 1_000; id++) {
      const row = writer.add(writer.stream(writer.queue(0, id), 0, 'main'), 1)
      row.state = State.Committed
      row.at = row.seq = row.sentSeq = id
    }
    writer.trim(0, 999)
    writer.flush()
    let pieces = 0
    for (; writer.isSweepDue; pieces++) writer.sweep()
    expect(writer.database.prepare('SELECT seq FROM messages').all()).toEqual([{ seq: 1_000 }])
    expect(pieces).toBeLessThan(50)
    writer.close()
  })

  it('forgets a deleted queue once the log no longer says that it was deleted', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined))
    fill(writer)
    const rows = new PartitionRows(writer, 0)
    rows.touchWhole(1, 10)
    writer.forward(rows.queue(1), { partition: 1, queue: 2 }, 1, 1, 1)
    writer.history.add(rows.queue(1), 10, 10, new Float64Array(tallyFields.length))
    rows.deleted(1, undefined, 11)
    rows.touchWhole(1, 11)
    writer.endAll(rows.stream(1, 0, 'main'), Infinity, 'purged', 11, 11)
    const tables = ['messages', 'fields', 'touches', 'forwards', 'history', 'streams', 'deleted']
    const filled = (): string[] =>
      tables.filter((table) => writer.database.prepare(`SELECT 1 FROM ${table}`).get() !== undefined)
    writer.trim(0, 10)
    sweep(writer)
    expect(filled()).toContain('streams')
    writer.trim(0, 11)
    sweep(writer)
    expect(filled()).toEqual([])
    writer.close()
  })

  it('forgets a deleted subscription likewise, and leaves the queue', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined))
    const rows = new PartitionRows(writer, 0)
    const main = rows.stream(1, 0, 'main')
    const audit = rows.stream(1, 1, 'audit')
    writer.add(audit, 1).state = State.Committed
    rows.deleted(1, 1, 2)
    rows.forgetDeleted()
    expect(rows.stream(1, 1, 'audit')).toBe(audit)
    writer.flush()
    rows.forgetDeleted()
    writer.trim(0, 2)
    sweep(writer)
    const names = writer.database.prepare('SELECT name FROM streams').all()
    expect(names.map(({ name }) => name)).toEqual(['main'])
    expect(rows.stream(1, 0, 'main')).toBe(main)
    writer.close()
  })

  it('holds a deleted queue in memory only while rows of it are pending', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined))
    const rows = new PartitionRows(writer, 0)
    const stream = rows.stream(1, 0, 'main')
    writer.add(stream, 1).state = State.Committed
    rows.deleted(1, undefined, 1)
    rows.forgetDeleted()
    expect(rows.stream(1, 0, 'main')).toBe(stream)
    writer.flush()
    rows.forgetDeleted()
    expect(rows.stream(1, 0, 'main')).not.toBe(stream)
    writer.close()
  })

  it('does not go through everything again and again when nothing can be removed to make room', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined), { rowsMax: 5 })
    const stream = writer.stream(writer.queue(0, 1), 0, 'main')
    for (let n = 1; n <= 10; n++) {
      const row = writer.add(stream, n)
      row.state = State.Available
      row.at = row.seq = row.sentSeq = n
    }
    writer.flush()
    expect(writer.isSweepDue).toBe(true)
    sweep(writer)
    writer.flush()
    expect(writer.isSweepDue).toBe(false)
    expect(numbers(writer)).toHaveLength(10)
    writer.close()
  })

  it('has room again for as many messages as a partition had that it forgot', () => {
    const writer = new IndexWriter(openIndexToWrite(undefined), { rowsMax: 15 })
    fill(writer)
    writer.clear(0)
    fill(writer)
    sweep(writer)
    expect(numbers(writer)).toHaveLength(10)
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
