import {
  type Answering,
  batchCosts,
  diffMoments,
  encodeRecording,
  gatherDeadLetters,
  type Hiding,
  LetterSelector,
  logAt,
  type PastOptions,
  readDeadLetters,
  recordingOf,
  spanOf,
  stateAt,
  withoutErrors,
} from '@kiroku/audit'
import type { Log } from '@kiroku/log'
import { KirokuError, limits } from '@kiroku/protocol'

/** The questions about a log's past, which any process can answer. */
export type PastMethod =
  | 'stateAt'
  | 'logAt'
  | 'recording'
  | 'span'
  | 'diff'
  | 'batches'
  | 'deadLetters'
  | 'selectLetters'

/**
 * Answers questions about a log's past in this process.
 * @param options created per question
 * @param hiding what queues hide now
 */
export const answerPast = (
  log: Log,
  options: () => PastOptions,
  hiding: () => Promise<Hiding>,
): Answering<PastMethod> => ({
  stateAt: ({ queue, at, ...page }) => {
    const past = options()
    return stateAt(log, queue, at ?? { time: past.now }, { ...past, ...page })
  },
  logAt: ({ at }) => {
    const past = options()
    return logAt(log, at ?? { time: past.now }, past)
  },
  recording: async ({ queue, from, asOperator = false, ...range }) => {
    const past = options()
    const recording = await recordingOf(log, queue, from ?? { time: past.now }, { ...past, ...range })
    return encodeRecording(asOperator ? recording : withoutErrors(recording))
  },
  span: ({ queue }) => spanOf(log, queue, options()),
  diff: ({ queue, from, to, messagesMax }) => {
    const past = options()
    return diffMoments(log, queue, from, to ?? { time: past.now }, { ...past, messagesMax })
  },
  batches: ({ queue, ...asked }) => batchCosts(log, queue, { ...options(), ...asked }),
  deadLetters: async ({ queue, at, asOperator = false, grants, ...asked }) => {
    const { count, groups } = await gatherDeadLetters(log, queue, {
      ...options(),
      ...(at === undefined ? {} : { moment: at }),
      ...asked,
      sight: { hiding: await hiding(), asOperator },
      grants,
    })
    return { count, groups }
  },
  selectLetters: async ({ queue, subscription, asOperator: _, grants, ...selection }) => {
    const picked = new LetterSelector(queue, selection)
    await readDeadLetters(
      log,
      queue,
      {
        ...options(),
        ...(subscription === undefined ? {} : { subscription }),
        // What is not told is not found either.
        grants,
      },
      (letter) => picked.accept(letter),
    )
    const [ranges, more] = picked.parts(limits.redriveRangesMax)
    if (more !== undefined)
      throw new KirokuError(
        'InvalidArgument',
        `the matching messages form more than ${limits.redriveRangesMax} ranges of queue "${queue}", the limit of one redrive; narrow it down, for example by time, redrive the whole queue, or use \`kiroku dlq redrive\`, which proceeds in parts`,
      )
    return ranges ?? []
  },
})
