import type { BodyRef } from '@kiroku/log'
import { decide, type Rest, type Turn } from '@kiroku/partition'
import { limits } from '../limits.ts'

/** Records stray records that a replay skipped, as many as there is room for. */
export const skipForeign = (turn: Turn<BodyRef>, foreign: readonly number[]): Rest<BodyRef> | undefined => {
  for (let i = 0; i < foreign.length; i++) {
    if (turn.commandRoom < limits.actBytes) return (next) => skipForeign(next, foreign.slice(i))
    decide(turn, { type: 'SkipForeign', seq: foreign[i]! })
  }
  return undefined
}
