import path from 'node:path'
import { closureOf, type ImportGraph } from '../ImportGraph.ts'
import { NamedImports } from './NamedImports.ts'

/** Whether a file finds others in a way that no reading of it can tell. */
const seeksFiles = (text: string): boolean =>
  /import\.meta|process\.cwd|\broot\b.*runTarget/.test(
    text
      .replaceAll("import.meta.url.endsWith('.ts')", '')
      .replaceAll(/new URL\([^()]*\.(ts|mjs)'[^()]*import\.meta\.url,?\s*\)/g, ''),
  )

/** Files that a text names between quotes, from its own folder or from the root, as code that starts or reads them does. */
const namedIn = (file: string, text: string, known: ReadonlySet<string>): ReadonlyArray<string> =>
  [...text.matchAll(/['"`]([\w@./-]+\.\w+)['"`]/g)]
    .flatMap(([, name = '']) => [path.posix.join(path.posix.dirname(file), name), path.posix.normalize(name)])
    .filter((name) => known.has(name))

/**
 * What running a file may read of the workspace, itself included: what it imports, other than types, and what it names.
 * @returns for a file, its closure; `undefined` where that may be anything
 */
export const whatRunning = (
  files: ReadonlyArray<string>,
  graph: ImportGraph,
): ((file: string) => ReadonlySet<string> | undefined) => {
  const known = new Set(files)
  const imports = new NamedImports(graph, 'run')
  const leads = new Map([...graph.keys()].map((file) => [file, imports.of(file)] as const))
  const named = new Map(
    [...graph.keys()].map((file) => [file, namedIn(file, imports.restOf(file), known)] as const),
  )
  const seekers = new Set([...graph].filter(([, { text }]) => seeksFiles(text)).map(([file]) => file))
  return (file) => {
    const closure = closureOf(file, (each) => [...(leads.get(each)?.files ?? []), ...(named.get(each) ?? [])])
    if ([...closure].some((each) => seekers.has(each))) return undefined
    return new Set([...closure].flatMap((each) => [each, ...(leads.get(each)?.passed ?? [])]))
  }
}
