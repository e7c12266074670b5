import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promiseOf, type SpecMutant } from '../specs/mutants/SpecMutant.ts'
import { root } from './runTarget.ts'

/** Files with the specs of a mutant's promise, from the root. */
export const specFiles = (mutant: Pick<SpecMutant, 'id' | 'spec'>): ReadonlyArray<string> => {
  if (mutant.spec !== undefined) return [mutant.spec]
  const id = promiseOf(mutant)
  const files = globSync('specs/**/*.spec.ts', { cwd: root }).toSorted()
  const named = files.filter((file) => path.basename(file).startsWith(`${id}.`))
  return named.length > 0
    ? named
    : files.filter((file) => readFileSync(path.join(root, file), 'utf8').includes(`[${id}]`))
}
