import { limits } from '../limits.ts'
import type { QueueConfig } from './QueueConfig.ts'

/** The attempts that a number of retries allows. */
export const attemptsMaxOf = (retriesMax: QueueConfig['retriesMax']): number =>
  retriesMax === 'unlimited' ? limits.attemptsMax : retriesMax + 1
