import { checkWhere, parseFilter } from '@kiroku/audit'
import type { MatchingQuestion } from '../ApiDependencies.ts'
import type { MatchingRequest } from '../definition/matching.ts'
import { given } from '../given.ts'

/** Which messages are recalled or discarded. Errors: `InvalidArgument`, `InvalidFilter`. */
export const matchingQuestion = (
  { where, dryRun = false, cursor }: typeof MatchingRequest.Type,
  nowMs: number,
): MatchingQuestion => ({
  filter: parseFilter(checkWhere(where), nowMs),
  isDryRun: dryRun,
  ...given({ cursor }),
})
