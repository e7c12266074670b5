import { finalizeCluster } from '@kiroku/cluster'
import { requestCommands } from '@kiroku/nats'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'

/** How long a partition may take to raise its version, in ms. */
const requestTimeoutMs = 10_000

export const run = (invocation: Invocation): Promise<void> =>
  withClient(invocation, async (_, { nats, log }) => {
    const { out, text } = invocation
    const requester = requestCommands(nats, { log })
    try {
      const finalized = await finalizeCluster(
        nats,
        log,
        (partition, commands) => requester.request(partition, commands, { timeoutMs: requestTimeoutMs }),
        localActor(text('reason')),
      )
      const { clusterVersion, raised } = finalized
      out.line(
        raised.length === 0
          ? `cluster version ${clusterVersion} was in force already`
          : `cluster version ${clusterVersion} is in force; nodes that do not read it can no longer join`,
      )
      out.result(finalized)
    } finally {
      requester.close()
    }
  })
