/** Loaded by `node --import` ahead of a program: breaks the code as `KIROKU_MUTANT` says. */
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { applyMutant } from '../specs/mutants/applyMutant.ts'
import { findMutant } from './findMutant.ts'

const mutant = findMutant(process.env['KIROKU_MUTANT'] ?? '')
const target = pathToFileURL(path.resolve(import.meta.dirname, '..', mutant.file)).href

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    return url === target ? { ...loaded, source: applyMutant(mutant, String(loaded.source)) } : loaded
  },
})
