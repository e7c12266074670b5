import { expect, it } from 'vitest'
import { lately, partOf } from './rotation.ts'

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
