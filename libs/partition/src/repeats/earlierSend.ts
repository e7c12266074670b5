import { type Answers, type CommandOf, KirokuError, limits } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'

/** A client's sends to the whole partition wait for the pause, so it is a short one. */
const producersPauseMsMax = 1_000

/**
 * What an earlier try of the same send led to. One that cannot be told from those long ago is refused here, and one
 * of a producer for whom there is no room: a send that is not remembered could be stored twice.
 */
export const earlierSend = <B>(
  turn: Turn<B>,
  { producer, send }: Pick<CommandOf<'Enqueue'>, 'producer' | 'send'>,
  token: number,
): Answers['Enqueue'] | 'refused' | undefined => {
  const before = earlierAnswer(turn, producer, send)
  if (!(before instanceof KirokuError)) return before
  turn.refuse(token, before)
  return 'refused'
}

const earlierAnswer = <B>(
  { state: { producers }, now }: Turn<B>,
  producer: string,
  send: number,
): Answers['Enqueue'] | KirokuError | undefined => {
  if (typeof producer !== 'string' || producer.length > limits.producerCharactersMax)
    return new KirokuError(
      'InvalidArgument',
      `a producer is named by at most ${limits.producerCharactersMax} characters`,
    )
  if (!Number.isSafeInteger(send) || send < 1)
    return new KirokuError(
      'InvalidArgument',
      `a producer counts its sends from 1; ${send} is not a number of one`,
    )
  const before = producers.find(producer, send)
  if (before === 'tooOld')
    return new KirokuError('InvalidArgument', `send ${send} of this producer is too long ago to be repeated`)
  if (before !== undefined) return before
  const waitMs = producers.waitMs(producer, now)
  return waitMs === 0
    ? undefined
    : new KirokuError('Busy', `this partition remembers its ${limits.producersMax} producers already`, {
        retryAfterMs: Math.min(waitMs, producersPauseMsMax),
      })
}
