import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { KirokuError } from '@kiroku/protocol'
import { build } from 'esbuild'
import type { WorkerModule } from './WorkerModule.ts'

/**
 * Loads a Worker module: JavaScript directly if Node.js can, anything else bundled first. Errors:
 * `WorkerInvalid`.
 */
export const loadWorker = async (modulePath: string): Promise<WorkerModule> => {
  const file = path.resolve(modulePath)
  if (!existsSync(file)) throw new KirokuError('WorkerInvalid', `There is no module ${file}`)
  const exported = needsBundle(file) ? await importBundled(file) : await importModule(file, file)
  return checkWorker((exported as { readonly default?: unknown }).default, file)
}

/** Throws `WorkerInvalid` unless the value is an object with a `queue` function. */
export const checkWorker = (value: unknown, name: string): WorkerModule => {
  const handler = typeof value === 'object' && value !== null && 'queue' in value ? value.queue : undefined
  if (typeof handler !== 'function')
    throw new KirokuError('WorkerInvalid', `${name} has no default export with a function "queue"`)
  return value as WorkerModule
}

/** TypeScript, and a module in a package whose `.js` files Node.js takes for CommonJS, as those of `npm init` are. */
const needsBundle = (file: string): boolean =>
  /\.[cm]?tsx?$/.test(file) ||
  (file.endsWith('.js') && /^\s*export\s/m.test(readFileSync(file, 'utf8')) && !isInModulePackage(file))

const isInModulePackage = (file: string): boolean => {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const manifest = path.join(folder, 'package.json')
    if (existsSync(manifest))
      return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: unknown }).type === 'module'
    if (folder === path.dirname(folder)) return false
  }
}

const importModule = async (file: string, shown: string): Promise<unknown> => {
  try {
    return (await import(pathToFileURL(file).href)) as unknown
  } catch (cause) {
    throw new KirokuError('WorkerInvalid', `${shown} cannot be loaded: ${(cause as Error).message}`, {
      cause,
    })
  }
}

const importBundled = async (file: string): Promise<unknown> => {
  const folder = await bundleFolder(file)
  const outfile = path.join(folder, 'worker.mjs')
  try {
    await bundle(file, outfile)
    return await importModule(outfile, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const bundle = async (file: string, outfile: string): Promise<void> => {
  try {
    await build({
      entryPoints: [file],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
      packages: 'external',
      sourcemap: 'inline',
      logLevel: 'silent',
    })
  } catch (cause) {
    throw new KirokuError('WorkerInvalid', `${file} cannot be compiled: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** A folder from which the module's packages resolve: in the nearest `node_modules`, else a temporary one. */
const bundleFolder = async (file: string): Promise<string> => {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const packages = path.join(folder, 'node_modules')
    if (existsSync(packages)) {
      const cache = path.join(packages, '.cache', 'kiroku')
      const made = await mkdir(cache, { recursive: true }).then(
        () => true,
        () => false,
      )
      if (made) return mkdtemp(path.join(cache, 'worker-'))
    }
    if (folder === path.dirname(folder)) return mkdtemp(path.join(tmpdir(), 'kiroku-worker-'))
  }
}
