import type { Mutant } from './Mutant.ts'

/** A break of one promise, which must turn the specs with its id red. */
export interface SpecMutant extends Mutant {
  readonly id: string
  /** The file with the specs, from the root; absent: all that are named after the id, else all that name it. */
  readonly spec?: string
}
