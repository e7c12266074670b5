import { formatDuration } from '@kiroku/protocol'
import type { CommandModule } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { withClient } from '../../serve/withClient.ts'

/** `queue groups`. */
export const groups: CommandModule = {
  run: (invocation) =>
    withClient(invocation, async (client) => {
      const { out } = invocation
      const queue = invocation.argument('queue') ?? ''
      const subscription = invocation.text('subscription')
      const found = await client.queues.groups(queue, subscription === undefined ? {} : { subscription })
      const rows = found.groups.map(({ group, waiting, inflight, blockedBy }) => [
        group,
        String(waiting),
        String(inflight),
        blockedBy === undefined
          ? ''
          : `message ${blockedBy.number} is ${blockedBy.state} (attempt ${blockedBy.attempt}) for ${formatDuration(Math.max(0, Math.round(blockedBy.until - Date.now())))}`,
      ])
      out.line(
        rows.length === 0
          ? `queue ${queue} has no groups with messages`
          : columns([['group', 'waiting', 'inflight', 'blocked by'], ...rows]),
      )
      if (found.total > rows.length) out.line(`… and ${found.total - rows.length} more`)
      out.result({ queue, ...found })
    }),
}
