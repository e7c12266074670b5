import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { AnchorFile, anchorsOf } from './AnchorFile.ts'

const log = { name: 'main', incarnation: 'abc' }

it('is continued by the next process, without the part of a line that a crash left', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'anchors.ndjson')
  const first = new AnchorFile(path, log, undefined)
  first.add(0, 5, 'aa', 1)
  first.add(1, 7, 'bb', 2)
  appendFileSync(path, '{"kiroku":"anch')
  const second = new AnchorFile(path, log, undefined)
  expect([second.reached(0), second.reached(1), second.reached(2)]).toEqual([5, 7, 0])
  second.add(0, 9, 'cc', 3)
  expect(anchorsOf(log, readFileSync(path, 'utf8')).map(({ number, seq }) => [number, seq])).toEqual([
    [1, 5],
    [2, 7],
    [3, 9],
  ])
})

it('is not continued where it holds anchors of another log, or a line was changed', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'anchors.ndjson')
  const file = new AnchorFile(path, log, undefined)
  file.add(0, 5, 'aa', 1)
  expect(() => new AnchorFile(path, { ...log, incarnation: 'def' }, undefined)).toThrow(
    /are of log main \(abc\)/,
  )
  appendFileSync(path, '{"kiroku":"anchor","version":1}\n')
  expect(() => new AnchorFile(path, log, undefined)).toThrow(/anchor 2 of the file/)
})
