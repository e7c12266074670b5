import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { root } from './runTarget.ts'
import { stages } from './Stage.ts'

const minutes = (some: ReadonlyArray<{ readonly minutesMax: number }>): number =>
  some.reduce((sum, { minutesMax }) => sum + minutesMax, 0)

it('on two idle cores all stages end within 23 minutes, as CONTRIBUTING.md says of each', () => {
  const text = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8')
  const rows = [...text.matchAll(/^\| ([\w-]+) +\|.*\| +(\d[\d.]*|beside [\w-]+) +\|$/gm)]
  expect(rows.map(([, target, budget]) => [target, budget])).toEqual(
    stages.map(({ target, minutesMax, beside }) => [
      target,
      beside === undefined ? String(minutesMax) : `beside ${beside}`,
    ]),
  )
  const sum = minutes(stages.filter(({ beside }) => beside === undefined))
  expect(text).toMatch(new RegExp(`^\\| \\*\\*sum\\*\\* .*\\*\\*${sum}\\*\\* \\|$`, 'm'))
  // One more is for what `.ci/run` does before them.
  expect(sum).toBeLessThanOrEqual(23)
})

it('what runs alongside a stage ends before it, which comes first', () => {
  for (const stage of stages) {
    const beside = stages.filter((each) => each.beside === stage.target)
    if (beside.length > 0) expect(minutes(beside)).toBeLessThanOrEqual(stage.minutesMax)
    for (const each of beside) expect(stages.indexOf(each)).toBeGreaterThan(stages.indexOf(stage))
  }
})
