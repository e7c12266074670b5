/** Text in the typeface of code. */
export const code = (text: string): string => `\`${text}\``

/** A table in Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `| ${head.map(() => '---').join(' | ')} |`,
  ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
]

const cell = (text: string): string => text.replaceAll('|', '\\|')
