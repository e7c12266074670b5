import type { Labels, MetricFamily } from '@kiroku/doors'

/** Content type of the text format. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Writes metrics in Prometheus' text format. */
export const renderMetrics = (families: readonly MetricFamily[]): string => {
  const lines: string[] = []
  for (const family of families) {
    lines.push(`# HELP ${family.name} ${family.help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`)
    lines.push(`# TYPE ${family.name} ${family.type}`)
    if (family.type !== 'histogram')
      for (const { labels, value } of family.samples) lines.push(sample(family.name, labels, value))
    else
      for (const { labels, bounds, counts, sum } of family.samples) {
        let total = 0
        for (const [i, bound] of [...bounds, Infinity].entries()) {
          total += counts[i] ?? 0
          lines.push(sample(`${family.name}_bucket`, { ...labels, le: number(bound) }, total))
        }
        lines.push(sample(`${family.name}_sum`, labels, sum), sample(`${family.name}_count`, labels, total))
      }
  }
  return lines.join('\n') + '\n'
}

const sample = (name: string, labels: Labels, value: number): string => {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escape(String(text))}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${number(value)}`
}

const escape = (text: string): string =>
  text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')

const number = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)
