import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readImportGraph } from './ImportGraph.ts'
import { packageOf } from './packageOf.ts'
import { root } from './runTarget.ts'
import { isTest } from './walls.ts'

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest

const graph = readImportGraph()
const folders = globSync('{libs,apps}/*/package.json', { cwd: root })
  .map((file) => path.posix.dirname(file))
  .concat('specs', 'examples')
  .toSorted()
/** What the workspace brings for the tests of all packages. */
const shared = manifestOf('.').devDependencies ?? {}

const imported = (folder: string, which: (file: string) => boolean): ReadonlySet<string> => {
  const own = manifestOf(folder).name
  const files = [...graph].filter(([file]) => file.startsWith(`${folder}/`) && which(file))
  return new Set(
    files
      .flatMap(([, { specifiers }]) => [...specifiers])
      .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
      .map(packageOf)
      .filter((name) => name !== own),
  )
}

describe('a package.json says what its package imports, from which Nx knows what a change affects', () => {
  // All of `specs` is tests; what it takes of our own is what it needs all the same.
  const isFor = (folder: string) => (file: string) => folder !== 'specs' && isTest(file)

  it.each(folders)('%s', (folder) => {
    const { dependencies = {}, devDependencies = {} } = manifestOf(folder)
    const needed = imported(folder, (file) => !isFor(folder)(file))
    const tested = [...imported(folder, isFor(folder))].filter((name) => !needed.has(name))
    const external = (name: string): boolean => !name.startsWith('@kiroku/')
    const missing = {
      dependencies: [...needed].filter(
        (name) =>
          !(name in dependencies) && !(name in devDependencies) && !(external(name) && name in shared),
      ),
      devDependencies: tested.filter(
        (name) =>
          !(name in dependencies) && !(name in devDependencies) && !(external(name) && name in shared),
      ),
    }
    expect(missing).toEqual({ dependencies: [], devDependencies: [] })
    // What only tests import does not ship; what others bring at run time without an import is theirs to name.
    const idle = Object.keys(dependencies).filter((name) => !external(name) && !needed.has(name))
    expect(idle, 'dependencies that nothing but tests imports').toEqual([])
    const idleInTests = Object.keys(devDependencies).filter(
      (name) => !external(name) && !needed.has(name) && !tested.includes(name),
    )
    expect(idleInTests, 'devDependencies that nothing imports').toEqual([])
  })
})
