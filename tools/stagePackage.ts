import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import { LockedPackages } from './LockedPackages.ts'
import { packageOf } from './packageOf.ts'
import { nodeMin, nodePackage, type PublicPackage } from './PublicPackage.ts'
import { root } from './runTarget.ts'
import { sbom, type Contents } from './sbom.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const readManifest = (file: string): Manifest =>
  JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Manifest

/** Every version that a room pins, by package; the rooms agree because the lockfile is one. */
const pinned = (): Map<string, string> => {
  const versions = new Map<string, string>()
  for (const file of globSync('{libs,apps}/*/package.json', { cwd: root }))
    for (const [name, version] of Object.entries(readManifest(file).dependencies ?? {}))
      versions.set(name, version)
  return versions
}

/** Bundles rooms of the workspace, and leaves outside what npm installs and other public packages. */
const roomsInside = (parts: PublicPackage): esbuild.Plugin => ({
  name: 'rooms-inside',
  setup(build) {
    // Only names of packages: asking here for each file would take several times as long as bundling.
    build.onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind }) => {
      if (kind === 'entry-point' || isBuiltin(specifier)) return undefined
      const from = parts.from[packageOf(specifier)]
      if (from !== undefined) return { path: from, external: true }
      const isInside =
        specifier.startsWith('@kiroku/') || parts.bundledExcept?.includes(packageOf(specifier)) === false
      return isInside ? undefined : { path: specifier, external: true }
    })
  },
})

/** What a CommonJS module tries to require and lives without: we do not have it either. */
const isWithout = (specifier: string, kind: string): boolean =>
  kind === 'require-call' && !existsSync(path.join(root, 'node_modules', packageOf(specifier)))

const notice =
  'This package holds, besides its own code under the Apache License 2.0, parts of the following packages.'

/** The folders of the packages that some files belong to. */
const foldersOf = (inputs: Iterable<string>): ReadonlySet<string> => {
  const folders = new Set<string>()
  for (const input of inputs) {
    const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]
    if (found !== undefined) folders.add(found)
  }
  return folders
}

/** The licences of packages, as these ask for. */
const licencesOf = (folders: Iterable<string>): string => {
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = readManifest(path.join(folder, 'package.json'))
    const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: path.join(root, folder) })
    const text = file === undefined ? '' : `\n\n${readFileSync(path.join(root, folder, file), 'utf8').trim()}`
    return `${name} ${version} (${license ?? 'see its text'})${text}`
  })
  return [notice, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`) + '\n'
}

interface Bundled {
  /** The packages that the bundles import. */
  readonly imported: ReadonlySet<string>
  /** The folders of those that are in the bundles. */
  readonly inside: ReadonlySet<string>
  /** The names that they export. */
  readonly exported: ReadonlySet<string>
}

export const bundle = async (parts: PublicPackage, folder: string): Promise<Bundled> => {
  const shared = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // The executable's launcher finds the Node that its bundle needs.
    target: parts.library ? `node${nodeMin}` : 'node24',
    // Some packages are written in two ways, and only their modules can be bundled.
    mainFields: ['module', 'main'],
    metafile: true,
    logLevel: 'warning',
    // What was written for CommonJS asks for the modules of Node.js in its own way.
    ...(parts.bundledExcept === undefined
      ? {}
      : {
          banner: {
            js: `import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);`,
          },
        }),
    plugins: [roomsInside(parts)],
  } as const satisfies esbuild.BuildOptions
  const results = await Promise.all([
    ...parts.bundles.map(({ file, code }) =>
      esbuild.build({
        ...shared,
        stdin: { contents: code, resolveDir: root, sourcefile: `${file}.ts`, loader: 'ts' },
        splitting: true,
        outdir: path.join(folder, 'dist'),
        entryNames: file,
        chunkNames: 'part-[hash]',
      }),
    ),
    ...parts.children.map(({ file, source }) =>
      esbuild.build({ ...shared, entryPoints: [source], outfile: path.join(folder, 'dist', file) }),
    ),
  ])
  const inside = foldersOf(
    results.flatMap(({ metafile }) =>
      Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs)),
    ),
  )
  const imported = new Set<string>()
  const exported = new Set<string>()
  for (const { metafile } of results)
    for (const output of Object.values(metafile.outputs)) {
      if (output.entryPoint !== undefined) for (const name of output.exports) exported.add(name)
      for (const { path: specifier, external, kind } of output.imports)
        if (external === true && !isBuiltin(specifier) && !isWithout(specifier, kind))
          imported.add(packageOf(specifier))
    }
  return { imported, exported, inside }
}

/** Writes the declarations of globals, and a module for who imports them as one. */
const declareGlobals = async (source: string, folder: string): Promise<void> => {
  const text = readFileSync(path.join(root, source), 'utf8')
  const own = `'../src/index.ts'`
  if (!text.includes(own))
    throw new Error(`${source} does not import ${own}, which its package has elsewhere`)
  await writeFile(path.join(folder, 'dist', 'globals.d.ts'), text.replace(own, `'./index.js'`))
  await writeFile(path.join(folder, 'dist', 'globals.js'), 'export {}\n')
}

/** Builds the console into the folder where its engine looks for it. */
const packConsole = async (folder: string): Promise<void> => {
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--outDir', path.join(folder, 'dist', 'console'), '--emptyOutDir']
  await promisify(execFile)(process.execPath, args, { cwd: path.join(root, 'apps', 'console') })
}

const writeSbom = (folder: string, locked: LockedPackages, contents: Contents): Promise<void> =>
  writeFile(path.join(folder, 'sbom.cdx.json'), sbom(contents, locked))

/** The folders of the packages that the built console holds. */
const inConsole = (locked: LockedPackages): ReadonlyArray<string> => {
  const names = Object.keys(readManifest('apps/console/package.json').dependencies ?? {})
  return locked.closure(
    names.filter((name) => !name.startsWith('@kiroku/')),
    'apps/console',
  )
}

/**
 * Writes the folder of the package that brings a Node, and returns its path. npm leaves out an optional dependency
 * that does not fit its own Node: so users whose Node is new enough do not download another.
 */
export const stageNode = async (): Promise<string> => {
  const folder = path.join(root, 'dist', 'packages', 'node')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { version, optionalDependencies } = readManifest('package.json')
  const manifest = {
    name: nodePackage,
    version,
    description: 'A Node.js for the kiroku executable, where the one that runs it is too old',
    license: 'Apache-2.0',
    engines: { node: '<24' },
    os: ['linux'],
    cpu: ['x64'],
    dependencies: optionalDependencies,
  }
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await cp(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  // npm compares what it installs with this digest, wherever it takes it from.
  const locked = new LockedPackages()
  const names = Object.keys(optionalDependencies ?? {})
  const pins = names.map((name) => {
    const { version: pin, integrity, cpu, os } = locked.at(`node_modules/${name}`)
    return [`node_modules/${name}`, { version: pin, integrity, cpu, os }] as const
  })
  const { name, engines, os, cpu, dependencies } = manifest
  const own = { name, version, engines, os, cpu, dependencies }
  const shrinkwrap = {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': own, ...Object.fromEntries(pins) },
  }
  await writeFile(path.join(folder, 'npm-shrinkwrap.json'), `${JSON.stringify(shrinkwrap, null, 2)}\n`)
  const contents = { name, version, type: 'library' as const, folders: pins.map(([at]) => at), siblings: [] }
  await writeSbom(folder, locked, contents)
  const readme = `# ${nodePackage}\n\n${manifest.description}. \`@kiroku/cli\` asks for it by itself.\n`
  await writeFile(path.join(folder, 'README.md'), readme)
  return folder
}

/**
 * Writes the folder that `npm pack` turns into the public package's tarball, and returns its path.
 * @throws when a bundle imports a package that no room depends on.
 */
export const stagePackage = async (parts: PublicPackage): Promise<string> => {
  const folder = path.join(root, 'dist', 'packages', packageOf(parts.name).replace('@kiroku/', ''))
  await rm(folder, { recursive: true, force: true })
  await mkdir(path.join(folder, 'dist'), { recursive: true })
  const { version } = readManifest('package.json')
  const versions = pinned()
  const [bundled, declared] = await Promise.all([
    bundle(parts, folder),
    // It loads TypeScript, which bundles alone do without.
    parts.library ? import('./declare.ts').then(({ declare }) => declare(parts)) : undefined,
    parts.console ? packConsole(folder) : undefined,
  ])
  if (declared !== undefined)
    await writeFile(path.join(folder, 'dist', 'index.d.ts'), declared.textFor(bundled.exported))
  const needed = new Set([...bundled.imported, ...(declared?.imported ?? [])])
  const { globals } = parts
  if (globals !== undefined) await declareGlobals(globals, folder)
  const dependencies: Record<string, string> = {}
  for (const name of [...needed].sort()) {
    const pin = name.startsWith('@kiroku/') ? version : versions.get(name)
    if (pin === undefined) throw new Error(`${parts.name} imports ${name}, which no package.json pins`)
    dependencies[name] = pin
  }
  const manifest = {
    name: parts.name,
    version,
    description: parts.description,
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: `>=${nodeMin}` },
    ...(parts.library
      ? {
          exports: {
            '.': { types: './dist/index.d.ts', default: './dist/index.js' },
            ...(globals === undefined
              ? {}
              : { './globals': { types: './dist/globals.d.ts', default: './dist/globals.js' } }),
          },
        }
      : { bin: parts.bin, optionalDependencies: { [nodePackage]: version } }),
    dependencies,
  }
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await cp(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  await cp(path.join(root, parts.room, 'README.md'), path.join(folder, 'README.md'))
  const locked = new LockedPackages()
  const inside = [...bundled.inside, ...(parts.console ? inConsole(locked) : [])]
  if (inside.length > 0)
    await writeFile(path.join(folder, 'THIRD-PARTY-LICENSES'), licencesOf(new Set(inside)))
  const isOurs = (name: string): boolean => name.startsWith('@kiroku/')
  const installed = Object.keys(dependencies).filter((name) => !isOurs(name))
  await writeSbom(folder, locked, {
    name: parts.name,
    version,
    type: parts.library ? 'library' : 'application',
    folders: [...inside, ...locked.closure(installed, parts.room)],
    siblings: [...(parts.library ? [] : [nodePackage]), ...Object.keys(dependencies).filter(isOurs)],
  })
  for (const file of Object.values(parts.bin))
    await cp(path.join(root, 'apps/kiroku', file), path.join(folder, file))
  return folder
}
