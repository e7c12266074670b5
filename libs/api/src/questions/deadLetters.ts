import { parseFilter, type RecordQuestions } from '@kiroku/audit'
import * as Schema from 'effect/Schema'
import type { RedriveRequest } from '../definition/redriveSchemas.ts'
import { given } from '../given.ts'
import { momentOf, momentText } from './lookingBack.ts'
import { queryText, type QueryTexts } from './QueryText.ts'

/** Parameters of a list of dead letters. */
export const deadLettersQuery = {
  subscription: queryText('Subscription of the queue; default main'),
  at: Schema.optionalKey(momentText('The moment; default: now')),
}

/** Which dead letters of a queue are listed. Errors: `InvalidArgument`. */
export const deadLettersQuestion = (
  queue: string,
  { subscription, at }: QueryTexts<typeof deadLettersQuery>,
  nowMs: number,
): RecordQuestions['deadLetters']['asked'] => ({
  queue,
  ...given({ subscription, at: momentOf(at, 'at', nowMs) }),
})

/** What a redrive says of the dead letters that it means, but for their numbers. */
type Letters = Pick<typeof RedriveRequest.Type, 'subscription' | 'group' | 'where' | 'messages'>

/** Which dead letters of a queue a redrive means; undefined: it names none. Errors: `InvalidFilter`. */
export const lettersQuestion = (
  queue: string,
  { subscription, group, where, messages }: Letters,
  nowMs: number,
): RecordQuestions['selectLetters']['asked'] | undefined => {
  const selection = given({
    group,
    where: where === undefined ? undefined : parseFilter(where, nowMs),
    messages,
  })
  return Object.keys(selection).length === 0 ? undefined : { queue, ...given({ subscription }), ...selection }
}
