import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { root } from './runTarget.ts'

/** A source file of the workspace, named from its root. */
export interface Source {
  readonly text: string
  /** Every specifier that it names in an import or export, types included. */
  readonly specifiers: ReadonlySet<string>
  /** The files behind those in the workspace, from the root. */
  readonly targets: ReadonlyMap<string, string>
  /** The same without their specifiers. */
  readonly imports: ReadonlySet<string>
  /** Those that are loaded together with it: neither types nor what it imports later. */
  readonly loads: ReadonlySet<string>
}

/** The workspace's source files and what each imports. */
export type ImportGraph = ReadonlyMap<string, Source>

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
}

/** The files behind `@kiroku/NAME` and its subpaths. */
const packageFiles = (): ReadonlyMap<string, string> => {
  const files = new Map<string, string>()
  for (const file of globSync('{libs,apps}/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Manifest
    for (const [subpath, target] of Object.entries(exports))
      files.set(path.posix.join(name, subpath), path.posix.join(path.posix.dirname(file), target))
  }
  return files
}

/** What git tracks or would track, from the root: ignored files do not count. */
export const ownFiles = (): ReadonlyArray<string> =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\0')
    .filter((file) => file !== '' && existsSync(path.join(root, file)))

/** An import or export that loads what it names. */
const loading = /^(?:import|export)\s(?!type\b)[^'"]*?from '([^']+)'|^import '([^']+)'/gm

const isSource = (file: string): boolean => /\.(ts|tsx|mjs|js)$/.test(file)

/**
 * Reads the imports of a text.
 * @param find the file of the workspace behind a specifier, if any
 */
export const readSource = (text: string, find: (specifier: string) => string | undefined): Source => {
  const specifiers = new Set([
    ...ts.preProcessFile(text, true, false).importedFiles.map((found) => found.fileName),
    ...[...text.matchAll(/import\.meta\.resolve\('([^']+)'\)/g)].map(([, specifier = '']) => specifier),
  ])
  const loaded = new Set([...text.matchAll(loading)].map(([, named, bare]) => named ?? bare))
  const targets = new Map<string, string>()
  const loads = new Set<string>()
  for (const specifier of specifiers) {
    const found = find(specifier)
    if (found === undefined) continue
    targets.set(specifier, found)
    if (loaded.has(specifier)) loads.add(found)
  }
  return { text, specifiers, targets, imports: new Set(targets.values()), loads }
}

/** Reads the imports of every source file of the workspace. */
export const readImportGraph = (files: ReadonlyArray<string> = ownFiles()): ImportGraph => {
  const packages = packageFiles()
  const sources = new Set(files.filter(isSource))
  const graph = new Map<string, Source>()
  for (const file of sources) {
    const text = readFileSync(path.join(root, file), 'utf8')
    const find = (specifier: string): string | undefined => {
      const target = specifier.startsWith('.')
        ? path.posix.join(path.posix.dirname(file), specifier)
        : packages.get(specifier)
      // The console's bundler finds modules without their extension.
      return [target, `${target}.ts`, `${target}.tsx`].find((name) => name !== undefined && sources.has(name))
    }
    graph.set(file, readSource(text, find))
  }
  return graph
}

/** Everything that a file leads to, itself included. */
export const closureOf = (
  file: string,
  next: (file: string) => Iterable<string>,
  into = new Set<string>(),
): ReadonlySet<string> => {
  if (into.has(file)) return into
  into.add(file)
  for (const other of next(file)) closureOf(other, next, into)
  return into
}

/** The groups of files that import one another in a circle, each sorted; the largest first. */
export const cyclesIn = (
  graph: ReadonlyMap<string, Pick<Source, 'imports'>>,
): ReadonlyArray<ReadonlyArray<string>> => {
  const order = new Map<string, { index: number; low: number; open: boolean }>()
  const open: string[] = []
  const groups: string[][] = []
  const visit = (file: string): { index: number; low: number; open: boolean } => {
    const own = { index: order.size, low: order.size, open: true }
    order.set(file, own)
    open.push(file)
    for (const next of graph.get(file)?.imports ?? []) {
      if (!graph.has(next)) continue
      const known = order.get(next)
      if (known === undefined) own.low = Math.min(own.low, visit(next).low)
      else if (known.open) own.low = Math.min(own.low, known.index)
    }
    if (own.low === own.index) {
      const group: string[] = []
      let last: string
      do {
        last = open.pop()!
        order.get(last)!.open = false
        group.push(last)
      } while (last !== file)
      if (group.length > 1 || graph.get(file)?.imports.has(file) === true) groups.push(group.toSorted())
    }
    return own
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return groups.toSorted((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1))
}
