import type { DeadLetterSource } from '@kiroku/api'
import {
  gatherDeadLetters,
  LetterSelector,
  parseFilter,
  readDeadLetters,
  type LookOptions,
} from '@kiroku/audit'
import type { Log } from '@kiroku/log'
import { KirokuError, limits } from '@kiroku/protocol'
import { parseMoment } from '../audit/parseMoment.ts'
import { askOrHere } from '../auditor/askOrHere.ts'
import type { RunningAuditor } from '../auditor/startAuditor.ts'

/** Looks at dead letters from this process; `options` are made anew for each question. */
export const lettersHere = (log: Log, options: () => LookOptions): DeadLetterSource => ({
  list: async (queue, { subscription, at }) => {
    const look = options()
    const { count, groups } = await gatherDeadLetters(log, queue, {
      ...look,
      ...(at === undefined ? {} : { moment: parseMoment(at, 'at', look.now) }),
      ...(subscription === undefined ? {} : { subscription }),
    })
    return { count, groups }
  },
  select: async (queue, { subscription, where, ...asked }) => {
    const look = options()
    const picked = new LetterSelector(queue, {
      ...asked,
      ...(where === undefined ? {} : { where: parseFilter(where, look.now) }),
    })
    await readDeadLetters(
      log,
      queue,
      { ...look, ...(subscription === undefined ? {} : { subscription }) },
      (letter) => picked.accept(letter),
    )
    const [selection, more] = picked.parts(limits.redriveRangesMax)
    if (more !== undefined)
      throw new KirokuError(
        'InvalidArgument',
        `what matches lies in more than ${limits.redriveRangesMax} stretches of queue "${queue}", which is more than one redrive takes; narrow it down, for example by time, redrive the whole queue, or use \`kiroku dlq redrive\`, which goes on part by part`,
      )
    return selection ?? []
  },
})

/** Looks from the auditor's process where there is one, so that the engine's loop goes on. */
export const letterSource = (
  here: DeadLetterSource,
  auditor: RunningAuditor | undefined,
): DeadLetterSource => ({
  list: (queue, asked) => askOrHere(auditor, 'deadLetters', { queue, asked }, () => here.list(queue, asked)),
  select: (queue, asked) =>
    askOrHere(auditor, 'selectLetters', { queue, asked }, () => here.select(queue, asked)),
})
