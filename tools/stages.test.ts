import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { root } from './runTarget.ts'
import { stages } from './Stage.ts'

it('all stages together end within 45 minutes, as CONTRIBUTING.md says of each', () => {
  const text = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8')
  const rows = [...text.matchAll(/^\| ([\w-]+) +\|.*\| +([\d.]+) \|$/gm)]
  expect(rows.map(([, target, minutes]) => [target, Number(minutes)])).toEqual(
    stages.map(({ target, minutesMax }) => [target, minutesMax]),
  )
  expect(stages.reduce((sum, { minutesMax }) => sum + minutesMax, 0)).toBeLessThanOrEqual(45)
})
