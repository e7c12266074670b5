import type { Figure } from '../Figure.ts'
import type { Bar } from './barsSvg.ts'

/** A table of the report: its rows as they are printed. */
interface Table {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What one part measured, as a section of tables that can be held against another run's. */
export class Report {
  readonly #tables: Table[] = []
  /** What the section's picture shows. */
  readonly bars: Bar[] = []

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

  /** The section as Markdown, below its head. */
  text(head: string): string {
    return [head, ...this.#tables.map(markdownOf)].join('\n')
  }
}

const markdownOf = ({ title, columns, rows }: Table): string => {
  // A column that says nothing of any row is left out.
  const used = columns.flatMap((_, i) => (i === 0 || rows.some((row) => row[i] !== '') ? [i] : []))
  const kept = [columns, ...rows].map((row) => used.map((i) => row[i]!))
  return `### ${title}\n\n${markdownTable(kept, 1)}\n`
}

/**
 * A table in Markdown, as the formatter leaves it.
 *
 * @param left how many columns are words; those behind them are figures
 */
export const markdownTable = (rows: readonly (readonly string[])[], left: number): string => {
  const widths = rows[0]!.map((_, i) => Math.max(3, ...rows.map((row) => row[i]!.length)))
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const padded = (row: readonly string[]): string =>
    line(row.map((cell, i) => (i < left ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))))
  const rule = line(widths.map((width, i) => (i < left ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)))
  return [padded(rows[0]!), rule, ...rows.slice(1).map(padded)].join('\n')
}
