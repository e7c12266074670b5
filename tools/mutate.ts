import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'
import { applyMutant } from '../specs/mutants/applyMutant.ts'
import { findMutant } from './findMutant.ts'
import { root } from './runTarget.ts'

const preload = pathToFileURL(path.join(import.meta.dirname, 'mutateProcess.ts')).href

/** Has Vitest load the code with the break of the promise `id` in it, and so do the programs that specs start. */
export const mutate = (id: string): Plugin => {
  const mutant = findMutant(id)
  const file = path.join(root, mutant.file)
  process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --import=${preload}`
  return {
    name: 'kiroku-mutant',
    // Before the step that strips the types: `from` is the source as written.
    enforce: 'pre',
    transform: (code, module) => (module === file ? applyMutant(mutant, code) : undefined),
    // The broken file is never in the cache that all runs share; everything else comes from it.
    api: { vitest: { ignoreFsModuleCache: true } },
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id: module }) => (module === file ? false : undefined)),
  }
}
