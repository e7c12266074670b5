import {
  gatherDeadLetters,
  LetterSelector,
  parseFilter,
  readDeadLetters,
  type DeadLetterGroup,
  type LookOptions,
} from '@kiroku/audit'
import type { AskedLetters, DeadLetterSource } from '@kiroku/api'
import type { Log } from '@kiroku/log'
import { isKirokuError, KirokuError, type Ranges } from '@kiroku/message'
import { limits } from '@kiroku/partition'
import type { RunningAuditor } from '../auditor/startAuditor.ts'

/** Looks at dead letters from this process; `options` are made anew for each question. */
export const lettersHere = (log: Log, options: () => LookOptions): DeadLetterSource => ({
  list: async (queue, { subscription }) => {
    const { count, groups } = await gatherDeadLetters(log, queue, {
      ...options(),
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
        `what matches has more than ${limits.redriveRangesMax} stretches of messages; narrow it down`,
      )
    return selection ?? []
  },
})

/** Looks from the auditor's process where there is one, so that the engine's loop goes on. */
export const letterSource = (
  here: DeadLetterSource,
  auditor: RunningAuditor | undefined,
): DeadLetterSource => {
  const unless = async <A>(there: Promise<A> | undefined, own: () => Promise<A>): Promise<A> => {
    if (there === undefined) return own()
    try {
      return await there
    } catch (error) {
      if (isKirokuError(error) && error.id === 'NoAuditor') return own()
      throw error
    }
  }
  return {
    list: (queue, asked) =>
      unless<{ count: number; groups: readonly DeadLetterGroup[] }>(
        auditor?.ask('deadLetters', { queue, asked }),
        () => here.list(queue, asked),
      ),
    select: (queue, asked: AskedLetters) =>
      unless<Ranges>(auditor?.ask('selectLetters', { queue, asked }), () => here.select(queue, asked)),
  }
}
