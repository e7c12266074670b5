import { KirokuError, type PartDescription } from '@kiroku/protocol'
import type { CommandModule } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'

/** `queue spread`. */
export const spread: CommandModule = {
  run: (invocation) =>
    withClient(invocation, async (client) => {
      const queue = invocation.argument('queue') ?? ''
      const partitions = invocation.int('partitions')
      if (partitions === undefined)
        throw new KirokuError('InvalidArgument', 'give the number of partitions with --partitions')
      await client.queues.spread(queue, partitions, localActor())
      const parts = (await client.queues.describe(queue)).spread?.parts ?? []
      invocation.out.line(`queue ${queue} is on ${partitions} partition${partitions === 1 ? '' : 's'}`)
      if (parts.length > 0) invocation.out.line(partTable(parts))
      invocation.out.result({ queue, partitions, parts })
    }),
}

/** The parts of a spread queue with their counts; a part that did not answer shows none. */
export const partTable = (parts: readonly PartDescription[]): string =>
  columns([
    ['part', 'state', 'available', 'inflight', 'retrying', 'sent'],
    ...parts.map(({ partition, state, counts }) => [
      String(partition),
      state,
      ...[counts?.available, counts?.inflight, counts?.waitingRetry, counts?.sent].map((n) =>
        String(n ?? '?'),
      ),
    ]),
  ])
