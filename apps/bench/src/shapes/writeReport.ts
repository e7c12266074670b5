import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { barsSvg } from './barsSvg.ts'
import type { Report } from './Report.ts'

/**
 * Writes the page of a run, and a picture for each part that compares rates. Parts that did not run keep the section that the
 * file has of them, which says when it was measured.
 *
 * @param order in which the sections follow each other
 */
export const writeReport = async (
  file: string,
  head: string,
  reports: ReadonlyMap<string, Report>,
  order: readonly string[],
): Promise<void> => {
  const sections = sectionsIn(await readFile(file, 'utf8').catch(() => ''))
  for (const [part, report] of reports) {
    const picture = report.bars.length > 0 ? `${parse(file).name}-${part}.svg` : undefined
    if (picture !== undefined) await writeFile(join(dirname(file), picture), barsSvg(report.bars))
    sections.set(part, report.text(headOf(part, picture)))
  }
  const written = order.flatMap((part) => sections.get(part) ?? [])
  await writeFile(file, [head, ...written].join('\n'))
}

const headOf = (part: string, picture: string | undefined): string => {
  const [processor] = cpus()
  const title = `## \`${part}\`, measured on ${new Date().toISOString().slice(0, 10)}\n\nProcessor: ${processor!.model}.\n`
  if (picture === undefined) return title
  return `${title}\n![Kiroku’s messages per second over those of the best peer](${picture})\n`
}

/** The sections of a page by their parts. */
const sectionsIn = (page: string): Map<string, string> =>
  new Map(
    page
      .split(/^(?=## `\w+`, measured on )/m)
      .slice(1)
      .map((section) => [/^## `(\w+)`/.exec(section)![1]!, `${section.trimEnd()}\n`]),
  )
