import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { WriterLock } from './WriterLock.ts'
import { auditFolder } from './auditFolder.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'kiroku-audit-'))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test('only one process at a time may write in an audit folder', () => {
  const folder = auditFolder(dataDir, 'abc')
  const lock = WriterLock.take(folder)
  expect(lock).toBeDefined()
  expect(WriterLock.take(folder)).toBeUndefined()
  const other = WriterLock.take(auditFolder(dataDir, 'def'))
  expect(other).toBeDefined()
  lock!.release()
  const again = WriterLock.take(folder)
  expect(again).toBeDefined()
  again!.release()
  other!.release()
})

test('a lock whose file is damaged is taken, and by one process only', () => {
  const folder = auditFolder(dataDir, 'abc')
  mkdirSync(folder, { recursive: true })
  for (const damaged of ['', 'garbage '.repeat(100), '\0'.repeat(5_000)]) {
    writeFileSync(join(folder, 'writer.lock'), damaged)
    const lock = WriterLock.take(folder)
    expect(lock).toBeDefined()
    writeFileSync(join(folder, 'writer.lock'), damaged)
    expect(WriterLock.take(folder)).toBeUndefined()
    lock!.release()
  }
})
