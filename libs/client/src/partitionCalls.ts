import {
  type Actor,
  checkOptions,
  KirokuError,
  parseMessageId,
  type PartitionDescription,
  rule,
} from '@kiroku/protocol'
import type { ClockStep, ConfirmClockOptions } from './Client.ts'
import type { OpenLog } from './LogConnection.ts'
import type { Revision } from './Reviser.ts'
import type { RescheduleOptions } from './SendOptions.ts'

/** Time for a partition to describe itself before it is left out, in ms. */
const partitionReplyMs = 2_000

/** Has the partition of a message that is not due yet revise it. Errors: as `Client.recall` and `Client.reschedule`. */
export const revise = async (log: OpenLog, id: string, revision: Revision): Promise<void> => {
  const { incarnation, partition, queue, number } = parseMessageId(id)
  if (incarnation !== log.directory.incarnation || partition >= log.partitions.length)
    throw new KirokuError('UnknownMessage', `message "${id}" is of another log`)
  await log.partitions[partition]!.reviser.revise(queue, number, revision)
}

/** The revision that reschedules a message. Errors: `InvalidArgument`. */
export const rescheduleOf = (to: RescheduleOptions, by: Actor): Revision => {
  checkOptions('reschedule', to, {
    delayMs: rule.milliseconds,
    at: (value) =>
      value instanceof Date || rule.number(value) === undefined ? undefined : 'a Date, or ms since 1970',
  })
  const { delayMs, at } = to
  return { type: 'Reschedule', delayMs, dueAt: at instanceof Date ? at.getTime() : at, by }
}

/** Every partition as its owner sees it, without those that do not answer. */
export const describePartitions = async ({ partitions }: OpenLog): Promise<PartitionDescription[]> => {
  const answers = await Promise.allSettled(
    partitions.map(async ({ link }) => {
      const reply = await link.call([{ type: 'DescribePartition' }], partitionReplyMs)
      return reply.answers[0]?.ok as PartitionDescription | undefined
    }),
  )
  return answers.flatMap((answer) =>
    answer.status === 'fulfilled' && answer.value !== undefined ? [answer.value] : [],
  )
}

/** Refuses a mistake in the options of `confirmClock`, which would confirm it for all partitions. Errors: `InvalidArgument`. */
export const checkConfirmClock = (options: ConfirmClockOptions): void =>
  checkOptions('confirmClock', options, { partition: rule.wholeFrom(0), by: rule.any })

/** Decides which clock is right for one partition, or for all. Errors: `InvalidArgument`. */
export const confirmClock = async (
  { partitions }: OpenLog,
  clock: 'store' | 'node',
  partition: number | undefined,
  by: Actor,
): Promise<ClockStep[]> => {
  if (partition !== undefined && partitions[partition] === undefined)
    throw new KirokuError('InvalidArgument', `the log has partitions 0 to ${partitions.length - 1}`)
  const asked = partitions.map((one, number) => ({ one, number }))
  return Promise.all(
    asked
      .filter(({ number }) => partition === undefined || number === partition)
      .map(async ({ one, number }) => {
        const { steppedMs } = await one.link.ask<'ConfirmClock'>({ type: 'ConfirmClock', clock, by })
        return { partition: number, steppedMs }
      }),
  )
}
