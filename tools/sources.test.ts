import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { cyclesIn, readImportGraph } from './ImportGraph.ts'

const graph = readImportGraph()

describe('no file imports itself by a detour, types included', () => {
  /** What is left of it, to be made smaller: all files of a circle lie in `folder`, and are `filesMax` at most. */
  const allowed: ReadonlyArray<{ folder: string; filesMax: number; why: string }> = [
    { folder: 'libs/partition/src', filesMax: 2, why: 'a queue and its subscriptions know each other' },
    { folder: 'libs/protocol/src', filesMax: 2, why: 'the table of settings and what they configure' },
    { folder: 'apps/console/src/send', filesMax: 2, why: 'a dialog and its state' },
    { folder: 'apps/kiroku/src', filesMax: 2, why: 'completions complete the tree that holds them' },
  ]
  const cycles = cyclesIn(graph)
  const covers = ({ folder, filesMax }: (typeof allowed)[number], cycle: ReadonlyArray<string>): boolean =>
    cycle.length <= filesMax && cycle.every((file) => file.startsWith(`${folder}/`))

  it('but for those that are allowed', () => {
    expect(cycles.filter((cycle) => !allowed.some((one) => covers(one, cycle)))).toEqual([])
  })

  it('and no allowance is left of a circle that is gone', () => {
    expect(allowed.filter((one) => !cycles.some((cycle) => covers(one, cycle)))).toEqual([])
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

/** Exceptions go by the name of the file alone, so that they stand while it moves. */
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
    const allowed = [
      'Lately.tsx',
      'MachinePage.tsx',
      'MessageStory.tsx',
      'MessagesPage.tsx',
      // A switch over the commands, which reads like a table of contents.
      'decide.ts',
      'openLog.ts',
      'startApi.ts',
      'tree.ts',
    ]
    const wide = [...graph].filter(
      ([file, { specifiers }]) => path.basename(file) !== 'index.ts' && specifiers.size > modulesMax,
    )
    expect(named(wide.map(([file]) => file))).toEqual(allowed)
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
