import { pinPartition, unpinPartition } from '@kiroku/cluster'
import { KirokuError } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'

/** `cluster pin`. */
export const pin = (invocation: Invocation): Promise<void> =>
  withClient(invocation, async (_, { nats, log }) => {
    const { out, text } = invocation
    const by = localActor(text('reason'))
    const pinned = await pinPartition(nats, log, partitionOf(invocation), text('host'), by)
    const { partition, host, heedless } = pinned
    out.line(`partition ${partition} stays on ${host} while a node runs there`)
    if (heedless.length > 0)
      out.note(`once these nodes are upgraded, which know no pins: ${heedless.join(', ')}`)
    out.result(pinned)
  })

/** `cluster unpin`. */
export const unpin = (invocation: Invocation): Promise<void> =>
  withClient(invocation, async (_, { nats, log }) => {
    const { out, text } = invocation
    const partition = partitionOf(invocation)
    const wasPinned = await unpinPartition(nats, log, partition, localActor(text('reason')))
    out.line(wasPinned ? `partition ${partition} moves again` : `partition ${partition} was not pinned`)
    out.result({ partition, wasPinned })
  })

const partitionOf = ({ argument }: Invocation): number => {
  const given = argument('partition') ?? ''
  if (/^\d{1,9}$/.test(given)) return Number(given)
  throw new KirokuError('InvalidArgument', `"${given}" is not the number of a partition`)
}
