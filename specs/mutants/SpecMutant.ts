import type { Mutant } from './Mutant.ts'

/** A break of one promise, which must turn the specs with its id red. */
export interface SpecMutant extends Mutant {
  /** The promise's; of several for one promise each has a word behind it, as `SEC-05.trace`. */
  readonly id: string
  /** The file with the specs, from the root; absent: all that are named after the id, else all that name it. */
  readonly spec?: string
}

/** The promise that a mutant breaks. */
export const promiseOf = ({ id }: Pick<SpecMutant, 'id'>): string => id.replace(/\..*/, '')
