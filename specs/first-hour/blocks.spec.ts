import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { packaged } from './packaged.ts'
import { commandsOf, isProgram, readBlocks, shownBy, wholeProgram } from './readBlocks.ts'
import { Reader } from './Reader.ts'
import { showsSame } from './sameShape.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const documents = [
  'README.md',
  ...globSync('{docs,docs/reference,libs/client,libs/worker,apps/kiroku}/*.md', { cwd: root }),
]
const blocksOf = (document: string) => readBlocks(document, readFileSync(path.join(root, document), 'utf8'))

describe('what the documents have their readers do', () => {
  it('is read block by block, and what is said of it in comments means something', () => {
    const blocks = documents.flatMap(blocksOf)
    expect(blocks.filter(isProgram).length).toBeGreaterThan(5)
    expect(blocks.flatMap(commandsOf).length).toBeGreaterThan(50)
    expect(() => readBlocks('x.md', '<!-- nto run: typo -->\n\n```sh\nls\n```')).toThrow('x.md:1')
  })

  it('is never left out without a reason', () => {
    for (const { document, line, notes } of documents.flatMap(blocksOf))
      for (const reason of [notes.notRun, notes.onlyChecked])
        if (reason !== undefined) expect(reason.length, `${document}:${line}`).toBeGreaterThan(15)
  })

  it('is followed where the packages are installed if its programs import them', () => {
    const importing = documents.filter((document) =>
      blocksOf(document).some(
        (block) => isProgram(block) && /from '@kiroku\/(client|worker)'/.test(block.text),
      ),
    )
    expect([...packaged, 'README.md'].sort()).toEqual(importing.sort())
  })

  it('is typed a command at a time, without the comments', () => {
    const [block] = readBlocks(
      'x.md',
      '```sh\nnpm ci && npm start  # both\n\n# alone\nkiroku send a "b"\n```',
    )
    expect(commandsOf(block!)).toEqual(['npm ci', 'npm start', 'kiroku send a "b"'])
  })

  it('is skipped, and said so, where what it needs is missing', async () => {
    const text = '<!-- needs: false -->\n\n```sh\nexport TO=b\n```\n\n```sh\nexport TO=c\ntest "$TO" = c\n```'
    const reader = new Reader({ folder: root, env: process.env, instead: () => undefined, told: () => {} })
    await reader.follow(readBlocks('x.md', text))
    await reader.close()
    const [skipped, ...others] = reader.steps.map(({ what, notRun, problem }) => [what, problem ?? notRun])
    expect(skipped).toEqual(['export TO=b', expect.stringContaining('SKIPPED: `false` fails')])
    // And what is exported stays with a terminal.
    expect(others).toEqual([
      ['export TO=c', undefined],
      ['test "$TO" = c', undefined],
    ])
  })

  it('continues the program before if it imports nothing', () => {
    const first = `import { connect } from 'x'\n\nconst client = await connect({ servers: 'y' })\nawait client.a()\n`
    const [block] = readBlocks('x.md', '```js\nawait client.b()\n```')
    const program = wholeProgram(block!, first)
    expect(program).toContain(`import { connect } from 'x'`)
    expect(program).toContain(`connect({ servers: 'y' })`)
    expect(program).toContain('await client.b()')
    expect(program).not.toContain('client.a()')
  })

  it('shows what is printed, but for ids, moments and spans', () => {
    const [shown] = blocksOf('README.md').flatMap((block) => shownBy(block) ?? [])
    expect(showsSame(`> npm says\n${shown!.replaceAll(/\d\d\.\d{3}/g, '59.001')}`, shown!)).toBe(true)
    expect(showsSame(shown!.replace('DeadLettered', 'Acked'), shown!)).toBe(false)
    expect(showsSame(shown!.replace('TRY', ''), shown!)).toBe(false)
  })
})
