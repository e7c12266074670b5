import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const documents = globSync('{*,docs/**/*,specs/*,specs/{adr,golden}/*,{libs,apps}/*/README}.md', {
  cwd: root,
})
const read = (document: string): string => readFileSync(path.join(root, document), 'utf8')

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (document: string): ReadonlyArray<string> =>
  [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

const isBroken = (document: string, link: string): boolean => {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? document : path.normalize(path.join(path.dirname(document), file))
  if (!existsSync(path.join(root, target))) return true
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
}

it.each(documents)('the links of %s lead somewhere', (document) => {
  const links = [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  expect(links.filter((link) => !/^https?:/.test(link) && isBroken(document, link))).toEqual([])
})

it('every room and file that ARCHITECTURE.md names exists', () => {
  const named = [...read('ARCHITECTURE.md').matchAll(/`((?:libs|apps|specs|tools)\/[^`]*)`/g)].map(
    ([, each = '']) => each,
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((each) => globSync(each, { cwd: root }).length === 0)).toEqual([])
})

it('every decision has a row in the index, and no number is missing without a word', () => {
  const numbers = globSync('specs/adr/0*.md', { cwd: root }).map((file) => path.basename(file).slice(0, 4))
  const index = read('specs/adr/README.md')
  const missing = Array.from({ length: Number(numbers.toSorted().at(-1)) }, (_, n) =>
    String(n + 1).padStart(4, '0'),
  ).filter((number) => !index.includes(number))
  expect(missing).toEqual([])
  expect(numbers.filter((number) => !index.includes(`(${number}-`))).toEqual([])
})
