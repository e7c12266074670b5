import type { RescheduleOptions } from '@kiroku/client'
import { KirokuError, parseDurationMs } from '@kiroku/protocol'
import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'
import { settleMatching } from './settleMatching.ts'

/** `recall`. */
export const recall: CommandModule = {
  run: async (invocation) => {
    const messageId = invocation.argument('id')
    if ((messageId === undefined) === (invocation.text('where') === undefined))
      throw new KirokuError('InvalidArgument', 'say which: either a message id or --where FILTER')
    if (messageId === undefined) return settleMatching(invocation, 'recall')
    await withClient(invocation, async (client) => {
      await client.recall(messageId, localActor(invocation.text('reason')))
      invocation.out.line(`message ${messageId} recalled`)
      invocation.out.result({ messageId })
    })
  },
}

/** `reschedule`. */
export const reschedule: CommandModule = {
  run: async (invocation) => {
    const to = timeOf(invocation)
    await withClient(invocation, async (client) => {
      const messageId = invocation.argument('id')!
      await client.reschedule(messageId, to)
      invocation.out.line(`message ${messageId} rescheduled`)
      invocation.out.result({ messageId, ...to })
    })
  },
}

const timeOf = ({ text }: Invocation): RescheduleOptions => {
  const delay = text('delay')
  const moment = text('at')
  if ((delay === undefined) === (moment === undefined))
    throw new KirokuError('InvalidArgument', 'say when: either --delay DURATION or --at TIME')
  if (delay !== undefined) return { delayMs: parseDurationMs(delay, '--delay') }
  const at = Date.parse(moment!)
  if (Number.isNaN(at))
    throw new KirokuError(
      'InvalidArgument',
      `--at: "${moment}" is not a time in ISO 8601, like 2027-01-01T09:00:00Z`,
    )
  return { at }
}
