/**
 * `node tools/check/lint.ts`: types and lint rules of the files that have not passed unchanged. A file's key is its
 * contents and those of all that define what it imports, since its types may come from any of them.
 */
import { ownFiles, readImportGraph } from '../ImportGraph.ts'
import { runCommand } from '../runTarget.ts'
import { keyOf, readCache, writeCache } from './cache.ts'
import { NamedImports } from './NamedImports.ts'

const files = ownFiles()
const graph = readImportGraph(files)
const always = keyOf([
  ...files.filter((file) => /(^|\/)(package|tsconfig(\.\w+)?)\.json$|\.d\.ts$/.test(file)),
  'oxlint.config.ts',
  'tools/walls.ts',
  'tools/wallRules.ts',
  'tools/ImportGraph.ts',
  'tools/check/NamedImports.ts',
])

const imports = new NamedImports(graph, 'types')
const keys = new Map<string, string>()

/** Imports form no circle, which `sources.test.ts` holds: every file's key is made once. */
const keyFor = (file: string): string => {
  const known = keys.get(file)
  if (known !== undefined) return known
  keys.set(file, '')
  const { files: origins, passed: through } = imports.of(file)
  const key = keyOf([file, ...through], [always, ...[...origins].map(keyFor)])
  keys.set(file, key)
  return key
}

const passed = new Set(readCache<ReadonlyArray<string>>('lint', []))
const due = [...graph.keys()].filter((file) => !passed.has(keyFor(file)))
/** More than that is linted as a whole: its names would not fit a command line. */
const namedMax = 1_000

const lint = async (): Promise<number> => {
  const names = due.length > namedMax ? [] : due.map((file) => `'${file}'`)
  const { code, output } = await runCommand('lint', ['oxlint', ...names].join(' '), 5, { output: 'held' })
  if (code === 0) writeCache('lint', [...graph.keys()].map(keyFor))
  else console.log(output)
  return code
}

process.exitCode = due.length === 0 ? 0 : await lint()
console.log(`${due.length} of ${graph.size} files`)
