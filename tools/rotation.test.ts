import { describe, expect, it } from 'vitest'
import { inTurn, lately, partOf } from './rotation.ts'

const names = Array.from({ length: 77 }, (_, index) => `CF-${index}`)

it('a commit always has the same part, and few commits together have all', () => {
  const parts = Array.from({ length: 60 }, (_, commit) => partOf(names, 6, `commit ${commit}`))
  for (const [commit, part] of parts.entries()) {
    expect(part).toEqual(partOf(names, 6, `commit ${commit}`))
    expect([12, 13]).toContain(part.length)
  }
  expect(new Set(parts.flat()).size).toBe(names.length)
})

it('recent changes are found in a checkout with history', () => {
  const found = lately()
  // A clone of one commit has none, and then everything is checked.
  if (found === undefined) return
  expect(found.commit).toMatch(/^[0-9a-f]{40}$/)
  expect(found.commits).toBeGreaterThan(0)
})

describe('test files that take turns', () => {
  const files = Array.from({ length: 9 }, (_, index) => `specs/console/${index}.spec.ts`)
  const turns = { concerns: ['apps/console/'], parts: 3 }
  const late = (...changed: string[]) => ({
    commit: 'abc',
    commits: 1,
    files: new Set(changed),
    before: () => '',
  })

  it('are a part of them, and those that changed', () => {
    const part = inTurn(files, turns, late('libs/engine/src/Node.ts'))
    expect(part).toHaveLength(3)
    const other = files.find((file) => !part.includes(file))!
    expect(inTurn(files, turns, late(other))).toEqual(files.filter((f) => part.includes(f) || f === other))
  })

  it('are all where what they see changed, or nobody knows', () => {
    expect(inTurn(files, turns, late('apps/console/src/main.tsx'))).toEqual(files)
    expect(inTurn(files, turns, undefined)).toEqual(files)
  })
})
