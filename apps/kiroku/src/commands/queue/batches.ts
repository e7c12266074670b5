import { batchCosts, type BatchCost, type BatchCosts } from '@kiroku/audit'
import { pastOptions } from '@kiroku/auditor'
import { formatDuration } from '@kiroku/protocol'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { gentle } from '../../cli/gentle.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'

/** `queue batches`. */
export const run = async (invocation: Invocation): Promise<void> => {
  const { out } = invocation
  const subscription = invocation.text('subscription')
  const progress = showProgress()
  const throttle = gentle(invocation)
  const costs = await withLog(invocation, (log) =>
    batchCosts(log, invocation.argument('queue')!, {
      ...pastOptions(auditedLog(log, invocation.settings().dataDir), throttle),
      onProgress: progress.onProgress,
      ...(subscription === undefined ? {} : { subscription }),
    }),
  ).finally(progress.done)
  out.line(describe(costs))
  out.result(costs)
}

const describe = ({ queue, from, to, subscriptions }: BatchCosts): string =>
  [
    `${queue} from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`,
    ...subscriptions.flatMap(({ subscription, delivered, replayed }) => [
      '',
      `subscription ${subscription}`,
      columns([
        [
          'batch',
          'wait',
          'messages',
          'per delivery',
          'invocations per 1,000',
          'waited p50',
          'waited p99',
          '',
        ],
        ['as delivered', '', ...cellsOf(delivered), ''],
        ...replayed.map(({ batchMessages, batchWaitMs, isSet, ...cost }) => [
          String(batchMessages),
          batchWaitMs === 0 ? 'none' : formatDuration(batchWaitMs),
          ...cellsOf(cost),
          isSet ? 'set' : '',
        ]),
      ]),
    ]),
    '',
    'Replayed as if a receive were always waiting; a busy consumer gets fuller batches. Change with `kiroku queue update --batch-messages N --batch-wait T`.',
  ].join('\n')

const cellsOf = ({ messages, messagesPerDelivery, deliveriesPer1000, waited }: BatchCost): string[] => [
  String(messages),
  ...(messages === 0 ? ['', ''] : [String(messagesPerDelivery), String(deliveriesPer1000)]),
  ...(waited === undefined ? ['', ''] : [formatDuration(waited.p50Ms), formatDuration(waited.p99Ms)]),
]
