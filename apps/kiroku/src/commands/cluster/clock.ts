import { clockTrouble, formatDuration } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

export const run = (invocation: Invocation): Promise<void> =>
  withClient(invocation, async (client) => {
    const { out, text } = invocation
    const only = invocation.int('partition')
    const accept = text('accept') as 'store' | 'node' | undefined
    const steps =
      accept === undefined
        ? []
        : await client.confirmClock(accept, {
            by: localActor(text('reason')),
            ...(only === undefined ? {} : { partition: only }),
          })
    for (const { partition, steppedMs } of steps)
      out.line(
        steppedMs === 0
          ? `the time of partition ${partition} is unchanged`
          : `partition ${partition} goes on ${formatDuration(steppedMs)} later`,
      )
    const found = (await client.partitions()).filter(
      ({ partition }) => only === undefined || partition === only,
    )
    const rows = found.map(({ partition, clock }) => [
      String(partition),
      clock?.state ?? 'no answer',
      ...[clock?.partitionMs, clock?.storeMs, clock?.nodeMs].map((ms) => (ms === undefined ? '?' : iso(ms))),
    ])
    out.line(columns([['partition', 'clocks', 'its time', 'of NATS', 'of its node'], ...rows]))
    for (const { partition, clock } of found) {
      const trouble = clock === undefined ? undefined : clockTrouble(partition, clock)
      if (trouble === undefined) continue
      out.line()
      out.line(`${trouble.what}.`)
      out.line(trouble.advice)
    }
    out.result({ steps, partitions: found.map(({ partition, clock }) => ({ partition, clock })) })
  })
