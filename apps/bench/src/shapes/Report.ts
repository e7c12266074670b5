import type { Figure } from '../Figure.ts'

/** A table of the report: its rows as they are printed. */
interface Table {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What a run measured, as a page of tables that can be held against another run's. */
export class Report {
  readonly #tables: Table[] = []

  table(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
    this.#tables.push({ title, columns, rows })
  }

  /** A table of figures as they are. */
  figures(title: string, figures: readonly Figure[]): void {
    this.table(
      title,
      ['', 'measured', 'target'],
      figures.map(({ name, value, unit, target, met }) => [
        name,
        `${value.toLocaleString('en', { maximumFractionDigits: 2 })} ${unit}`.trimEnd(),
        target === null ? '' : `${target} ${met === true ? '✓' : '✗'}`,
      ]),
    )
  }

  /** The tables as Markdown. */
  text(): string {
    return this.#tables
      .map(({ title, columns, rows }) => {
        const all = [columns, ...rows]
        const widths = columns.map((_, i) => Math.max(3, ...all.map((row) => row[i]!.length)))
        const line = (row: readonly string[]): string =>
          `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`
        const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
        return `## ${title}\n\n${[line(columns), rule, ...rows.map(line)].join('\n')}\n`
      })
      .join('\n')
  }
}
