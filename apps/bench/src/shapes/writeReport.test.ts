import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { Report } from './Report.ts'
import { writeReport } from './writeReport.ts'

const order = ['sizes', 'idle']
const reportOf = (value: string, ratio?: number): Report => {
  const report = new Report()
  report.table('what', ['', 'messages/s'], [['Kiroku', value]])
  if (ratio !== undefined) report.bars.push({ title: 'what', ratio })
  return report
}

it('keeps what an earlier run wrote of parts that did not run, in one order', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'shapes.md')
  await writeReport(file, '# old\n', new Map([['idle', reportOf('7')]]), order)
  await writeReport(file, '# Shapes\n', new Map([['sizes', reportOf('1', 2)]]), order)
  await writeReport(file, '# Shapes\n', new Map([['sizes', reportOf('2', 2)]]), order)
  const today = new Date().toISOString().slice(0, 10)
  expect(readFileSync(file, 'utf8')).toBe(`# Shapes

## \`sizes\`, measured on ${today}

Processor: ${cpus()[0]!.model}.

![Kiroku’s messages per second over those of the best peer](shapes-sizes.svg)

### what

|        | messages/s |
| ------ | ---------: |
| Kiroku |          2 |

## \`idle\`, measured on ${today}

Processor: ${cpus()[0]!.model}.

### what

|        | messages/s |
| ------ | ---------: |
| Kiroku |          7 |
`)
  expect(readFileSync(join(folder.path, 'shapes-sizes.svg'), 'utf8')).toContain('2.00 ×')
})
