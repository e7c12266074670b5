import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { closureOf, readSource, type ImportGraph } from '../ImportGraph.ts'
import { NamedImports } from './NamedImports.ts'
import { whatRunning } from './running.ts'

/** The graph of files with these texts, where `#name` is a package whose index is `name.ts`. */
const graphOf = (texts: Readonly<Record<string, string>>): ImportGraph => {
  const files = Object.keys(texts)
  return new Map(
    Object.entries(texts).map(([file, text]) => [
      file,
      readSource(text, (specifier) => {
        const [, name] = /^#(.+)/.exec(specifier) ?? []
        const target =
          name === undefined ? path.posix.join(path.posix.dirname(file), specifier) : `${name}.ts`
        return files.find((known) => known === target)
      }),
    ]),
  )
}

/** What running `a.test.ts` may read. */
const read = (texts: Readonly<Record<string, string>>): ReadonlyArray<string> | undefined => {
  const found = whatRunning(Object.keys(texts), graphOf(texts))('a.test.ts')
  return found && [...found].toSorted()
}

/** Two nouns and the index that hands them on. */
const two = {
  'one.ts': 'export const one = 1\nexport interface One {}\n',
  'two.ts': 'export const two = 2\nexport interface Two {}\n',
  'index.ts':
    "/** The nouns. */\nexport { one, type One } from './one.ts'\nexport {\n  two, // the second\n  type Two,\n} from './two.ts'\n",
}
const all = ['a.test.ts', 'index.ts', 'one.ts', 'two.ts']

describe('what a test may read when it runs', () => {
  it('is of an index only what it takes, and the index itself, which may hand on something else under that name', () => {
    expect(read({ ...two, 'a.test.ts': "import { one } from './index.ts'\n" })).toEqual([
      'a.test.ts',
      'index.ts',
      'one.ts',
    ])
  })

  it('follows names through indexes of indexes, and names that change on the way', () => {
    const texts = {
      ...two,
      'middle.ts': "export { one as first, two as second } from './index.ts'\n",
      'outer.ts': "export { first as one, second as two } from './middle.ts'\n",
      'a.test.ts': "import { two as it } from './outer.ts'\n",
    }
    expect(read(texts)).toEqual(['a.test.ts', 'index.ts', 'middle.ts', 'outer.ts', 'two.ts'])
  })

  it('follows what the files that it takes import in turn', () => {
    const texts = {
      ...two,
      'three.ts': "import { two } from './index.ts'\nexport const three = two + 1\n",
      'nouns.ts': "export { one } from './one.ts'\nexport { three } from './three.ts'\n",
      'a.test.ts': "import { three } from './nouns.ts'\n",
    }
    expect(read(texts)).toEqual(['a.test.ts', 'index.ts', 'nouns.ts', 'three.ts', 'two.ts'])
  })

  it('is no type, of which nothing is left', () => {
    const texts = [
      "import type { One } from './index.ts'\n",
      "import { type One } from './one.ts'\n",
      "export type * from './one.ts'\n",
    ]
    for (const text of texts) expect(read({ ...two, 'a.test.ts': text })).toEqual(['a.test.ts'])
  })

  it.each([
    ['takes the module', "import * as nouns from './index.ts'\n"],
    ['hands everything on', "export * from './index.ts'\n"],
    ['takes the default', "import nouns from './index.ts'\n"],
    ['takes the default beside a name', "import nouns, { one } from './index.ts'\n"],
    ['only loads it', "import './index.ts'\n"],
    ['loads it later', "const load = () => import('./index.ts')\n"],
    [
      'loads it later over two lines, and takes a type',
      "import type { One } from './index.ts'\nconst load = () => import(\n  './index.ts'\n)\n",
    ],
    [
      'starts it, and takes a type',
      "import type { One } from './index.ts'\nconst url = new URL('./index.ts', import.meta.url)\n",
    ],
    ['only loads a package', "import '#index'\n"],
    [
      'loads a package later, and takes a type',
      "import type { One } from '#index'\nawait import('#index')\n",
    ],
    ['takes the type of a package', "type Nouns = typeof import('#index')\n"],
    ['takes a name that the index does not hand on', "import { three } from './index.ts'\n"],
    ['takes as a value what is handed on as a type', "import { One } from './index.ts'\n"],
    ['is written otherwise than the formatter does', "  import {one} from './index.ts'\n"],
  ])('is the whole index where it %s', (_, text) => {
    expect(read({ ...two, 'a.test.ts': text })).toEqual(all)
  })

  it.each([
    ['everything of one file', "export * from './one.ts'\nexport { two } from './two.ts'\n"],
    ['one file as a noun', "export * as ones from './one.ts'\nexport { two } from './two.ts'\n"],
    ['what it imported', "import { one } from './one.ts'\nexport { two } from './two.ts'\nexport { one }\n"],
    [
      'beside what it defines',
      "import { one } from './one.ts'\nexport { two } from './two.ts'\nexport const three = one\n",
    ],
  ])('is the whole index where that hands on %s', (_, index) => {
    const texts = { ...two, 'index.ts': index, 'a.test.ts': "import { two } from './index.ts'\n" }
    expect(read(texts)).toEqual(all)
  })

  it.each([
    ["import { two } from './index.ts'\n"],
    ["import { type One, two } from './index.ts'\n"],
    ["import { type Two } from './index.ts'\nimport { two } from './two.ts'\n"],
  ])('is also what does something when it is loaded, with all that it takes: %s', (text) => {
    const texts = {
      ...two,
      'deep.ts': 'export const deep = (n: number): void => console.log(n)\n',
      'acting.ts': "import { deep } from './deep.ts'\nexport const none = 0\n\ndeep(1)\n",
      'one.ts': "import { none } from './acting.ts'\nexport const one = none\n",
      'a.test.ts': text,
    }
    const found = read(texts)
    expect(found).toEqual(expect.arrayContaining(['a.test.ts', 'acting.ts', 'deep.ts', 'two.ts']))
    expect(found).not.toContain('one.ts')
  })

  it('is also what it names between quotes, from its folder or from the root', () => {
    const texts = {
      ...two,
      'lib/b.ts': "export const script = 'lib/script.mjs'\nexport const data = './data.json'\n",
      'lib/script.mjs': "import { two } from '../two.ts'\nconsole.log(two)\n",
      'lib/data.json': '{}',
      'lib/other.json': '{}',
      'a.test.ts': "import { script } from './lib/b.ts'\n",
    }
    expect(read(texts)).toEqual(['a.test.ts', 'lib/b.ts', 'lib/data.json', 'lib/script.mjs', 'two.ts'])
  })

  it.each([
    ['readdirSync(process.cwd())\n'],
    ["const where = import.meta.resolve('./two.ts')\n"],
    ["import { root } from './tools/runTarget.ts'\n"],
  ])('may be anything where it seeks files: %s', (seeking) => {
    expect(read({ ...two, 'a.test.ts': "import { one } from './one.ts'\n" + seeking })).toBeUndefined()
  })
})

describe('what the types of a file may come from', () => {
  /** The files that define them, without the indexes on the way. */
  const typed = (texts: Readonly<Record<string, string>>): ReadonlyArray<string> => {
    const imports = new NamedImports(graphOf(texts), 'types')
    return [...closureOf('a.test.ts', (file) => imports.of(file).files)].toSorted()
  }

  it.each([
    "import type { One } from './index.ts'\n",
    "import { type One } from '#index'\n",
    "export type { One as Other } from './index.ts'\n",
    "import { one } from './index.ts'\n",
  ])('are the files that define what it names, types included: %s', (text) => {
    expect(typed({ ...two, 'a.test.ts': text })).toEqual(['a.test.ts', 'one.ts'])
  })

  it('are what those take their own types from', () => {
    const texts = {
      ...two,
      'three.ts': "import type { Two } from './index.ts'\nexport type Three = Two\n",
      'outer.ts': "export type { Three } from './three.ts'\nexport { one } from './one.ts'\n",
      'a.test.ts': "import type { Three } from './outer.ts'\n",
    }
    expect(typed(texts)).toEqual(['a.test.ts', 'three.ts', 'two.ts'])
  })

  it.each([
    "import type * as nouns from './index.ts'\n",
    "export type * from './index.ts'\n",
    "type Nouns = typeof import('./index.ts')\n",
  ])('are those of the whole index where it takes that: %s', (text) => {
    expect(typed({ ...two, 'a.test.ts': text })).toEqual(all)
  })

  it('are also what adds to the types of all', () => {
    const texts = {
      ...two,
      'global.ts': 'export interface Global {}\ndeclare global {\n  var one: Global\n}\n',
      'one.ts': "import type { Global } from './global.ts'\nexport const one: Global = {}\n",
      'index.ts': "export { one } from './one.ts'\nexport { two } from './two.ts'\n",
      'a.test.ts': "import { two } from './index.ts'\n",
    }
    expect(typed(texts)).toEqual(['a.test.ts', 'global.ts', 'two.ts'])
  })
})
