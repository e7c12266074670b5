import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { SpecMutant } from '../specs/mutants/SpecMutant.ts'
import { root } from './runTarget.ts'

/** Files with the specs of a mutant's promise, from the root. */
export const specFiles = ({ id, spec }: Pick<SpecMutant, 'id' | 'spec'>): ReadonlyArray<string> => {
  if (spec !== undefined) return [spec]
  const files = globSync('specs/**/*.spec.ts', { cwd: root }).toSorted()
  const named = files.filter((file) => path.basename(file).startsWith(`${id}.`))
  return named.length > 0
    ? named
    : files.filter((file) => readFileSync(path.join(root, file), 'utf8').includes(`[${id}]`))
}
