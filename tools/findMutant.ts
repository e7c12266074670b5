import { mutants } from '../specs/mutants/mutants.ts'
import type { SpecMutant } from '../specs/mutants/SpecMutant.ts'

/** The mutant of a promise. */
export const findMutant = (id: string): SpecMutant => {
  const mutant = mutants.find((each) => each.id === id)
  if (mutant === undefined)
    throw new Error(`No mutant ${id}. There are: ${mutants.map((each) => each.id).join(' ')}`)
  return mutant
}
