import { setImmediate as nextTick } from 'node:timers/promises'
import type { Labels, MetricFamily } from '@kiroku/doors'

/** Content type of the text format. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Lines that are written at once. */
const linesAtOnce = 1_000

/** Writes metrics in Prometheus' text format, piece by piece. Where there are many, others have their turn in between. */
export const renderMetrics = async (
  tables: readonly Iterable<MetricFamily>[],
): Promise<readonly Uint8Array[]> => {
  const pieces: Uint8Array[] = []
  let lines: string[] = []
  for (const table of tables)
    for (const family of table)
      for (const line of linesOf(family)) {
        lines.push(line)
        if (lines.length < linesAtOnce) continue
        pieces.push(bytesOf(lines))
        lines = []
        await nextTick()
      }
  return [...pieces, bytesOf(lines)]
}

const bytesOf = (lines: readonly string[]): Uint8Array =>
  Buffer.from(lines.map((line) => `${line}\n`).join(''))

function* linesOf(family: MetricFamily): Generator<string> {
  yield `# HELP ${family.name} ${family.help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`
  yield `# TYPE ${family.name} ${family.type}`
  if (family.type !== 'histogram')
    for (const { labels, value } of family.samples) yield sample(family.name, labels, value)
  else
    for (const { labels, bounds, counts, sum } of family.samples) {
      let total = 0
      for (const [i, bound] of [...bounds, Infinity].entries()) {
        total += counts[i] ?? 0
        yield sample(`${family.name}_bucket`, { ...labels, le: number(bound) }, total)
      }
      yield sample(`${family.name}_sum`, labels, sum)
      yield sample(`${family.name}_count`, labels, total)
    }
}

const sample = (name: string, labels: Labels, value: number): string => {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escape(String(text))}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${number(value)}`
}

const escape = (text: string): string =>
  text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')

const number = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)
