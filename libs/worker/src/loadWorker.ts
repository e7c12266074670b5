import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { KirokuError } from '@kiroku/message'
import type { WorkerModule } from './WorkerModule.ts'

/** Loads a Worker module: JavaScript as it is, TypeScript bundled first. Errors: `WorkerInvalid`. */
export const loadWorker = async (modulePath: string): Promise<WorkerModule> => {
  const file = path.resolve(modulePath)
  if (!existsSync(file)) throw new KirokuError('WorkerInvalid', `There is no module ${file}`)
  const exported = /\.[cm]?tsx?$/.test(file) ? await importTypeScript(file) : await importModule(file, file)
  return checkWorker((exported as { readonly default?: unknown }).default, file)
}

/** Throws `WorkerInvalid` unless the value is an object with a `queue` function. */
export const checkWorker = (value: unknown, name: string): WorkerModule => {
  const handler = typeof value === 'object' && value !== null && 'queue' in value ? value.queue : undefined
  if (typeof handler !== 'function')
    throw new KirokuError('WorkerInvalid', `${name} has no default export with a function "queue"`)
  return value as WorkerModule
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

const importTypeScript = async (file: string): Promise<unknown> => {
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
