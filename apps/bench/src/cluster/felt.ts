import { median } from '../Figure.ts'
import type { Felt } from './LoadedCluster.ts'

/** The middle of what clients felt, in s. */
export const seconds = (felt: readonly Felt[], of: (each: Felt) => number): number =>
  median(felt.map(of)) / 1_000

/** Sends that failed. */
export const errors = (felt: readonly Felt[]): number => felt.reduce((sum, each) => sum + each.errors, 0)
