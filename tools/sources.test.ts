import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { closureOf, cyclesIn, readImportGraph } from './ImportGraph.ts'
import { root } from './runTarget.ts'

const graph = readImportGraph()

describe('no file imports itself by a detour, types included', () => {
  it('without an exception', () => {
    expect(cyclesIn(graph)).toEqual([])
  })

  it('a circle is found whether it is of two files, of many, or of one', () => {
    const of = (edges: Record<string, ReadonlyArray<string>>) =>
      cyclesIn(new Map(Object.entries(edges).map(([file, to]) => [file, { imports: new Set(to) }])))
    expect(of({ a: ['b'], b: ['c'], c: [] })).toEqual([])
    expect(of({ a: ['b', 'e'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['d'], f: ['f'] })).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
      ['f'],
    ])
  })
})

/** Exceptions are keyed by file name alone, so that they survive moves. */
const named = (files: Iterable<string>): ReadonlyArray<string> =>
  [...new Set([...files].map((file) => path.basename(file)))].toSorted()

describe('a file', () => {
  it('has at most 400 lines', () => {
    const linesMax = 400
    const long = [...graph].filter(([, { text }]) => text.split('\n').length - 1 > linesMax)
    expect(named(long.map(([file]) => file))).toEqual([])
  })

  it('imports from at most 20 modules, unless it is the table of contents of a package', () => {
    const modulesMax = 20
    // A switch over the commands, which reads like a table of contents.
    const allowed = ['decide.ts']
    const wide = [...graph].filter(
      ([file, { specifiers }]) => path.basename(file) !== 'index.ts' && specifiers.size > modulesMax,
    )
    expect(named(wide.map(([file]) => file))).toEqual(allowed)
  })
})

describe('a module that tests share', () => {
  it('registers hooks only when a test calls it: the files of a run share its one copy', () => {
    const hook = /^(before|after)(Each|All)\(/m
    const shared = [...graph].filter(
      ([file, { text }]) => /^(libs|apps)\//.test(file) && !/\.test\.tsx?$/.test(file) && hook.test(text),
    )
    expect(shared.map(([file]) => file)).toEqual([])
  })
})

describe('libs/partition', () => {
  it('has one entry, which exports at most 50 names one by one', () => {
    const namesMax = 50
    const folder = 'libs/partition'
    const { exports } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, string>>
    }
    expect(exports).toEqual({ '.': './src/index.ts' })
    const { statements } = ts.createSourceFile(
      'index.ts',
      graph.get(`${folder}/src/index.ts`)!.text,
      ts.ScriptTarget.Latest,
    )
    const names = statements.flatMap((statement) => {
      const clause = ts.isExportDeclaration(statement) ? statement.exportClause : undefined
      if (clause === undefined || !ts.isNamedExports(clause))
        throw new Error('index.ts holds something else than exports by name')
      return clause.elements.map(({ name }) => name.text)
    })
    expect(names.length).toBeGreaterThan(0)
    expect(names.length).toBeLessThanOrEqual(namesMax)
  })
})

describe('a fact', () => {
  it('is recorded by the decisions of the partition, and nowhere else', () => {
    const elsewhere = [...graph].filter(
      ([file, { text }]) =>
        !/^libs\/partition\/|\.test\.ts$|\/testing\//.test(file) &&
        /\bTurn\b/.test(text) &&
        /\.emit\(/.test(text),
    )
    expect(elsewhere.map(([file]) => file)).toEqual([])
    expect(graph.get('libs/partition/src/decideOwner.ts')?.text).toContain('turn.emit(')
  })
})

describe('the library that keeps the log', () => {
  it('is known to one file of the app, so that a second one costs itself, that file and a setting', () => {
    const knowing = [...graph].filter(
      ([file, { specifiers }]) => file.startsWith('apps/kiroku/') && specifiers.has('@kiroku/log-jetstream'),
    )
    expect(knowing.map(([file]) => file)).toEqual(['apps/kiroku/src/log/logAdapter.ts'])
  })
})

describe('the command line', () => {
  it('starts without the engine, the record and the client: a command loads what it needs', () => {
    const loaded = closureOf('apps/kiroku/src/cli/runProcess.ts', (file) => graph.get(file)?.loads ?? [])
    expect(loaded).toContain('apps/kiroku/src/commands/record/searchCommands.ts')
    const rooms = new Set([...loaded].map((file) => file.split('/').slice(0, 2).join('/')))
    expect([...rooms].toSorted()).toEqual(['apps/kiroku', 'libs/audit', 'libs/protocol', 'libs/worker'])
    // Of the record only the words of the filter.
    expect(named([...loaded].filter((file) => /^libs\/audit\/(?!src\/filter\/)/.test(file)))).toEqual([])
  })
})
