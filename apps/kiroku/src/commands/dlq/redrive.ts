import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'
import { describeRedrive, redriveTable } from './describeRedrive.ts'
import { followRedrive } from './followRedrive.ts'
import { redriveOptionsOf } from './redriveOptions.ts'

const queueOf = ({ argument }: Invocation): string => argument('queue') ?? ''

/** `redrive`. */
export const start: CommandModule = {
  run: (invocation) =>
    withClient(invocation, async (client) => {
      const { out, flag, signal } = invocation
      const queue = queueOf(invocation)
      const options = redriveOptionsOf(invocation, Date.now())
      const begun = await client.queues.redrive(queue, options, localActor(invocation.text('reason')))
      const redrive = flag('follow') ? await followRedrive(client, begun, signal) : begun
      out.line(describeRedrive(redrive))
      if (redrive.state === 'running')
        out.line(
          `\`kiroku redrive status ${queue}\` shows its progress, \`kiroku redrive cancel ${queue}\` ends it`,
        )
      out.result(redrive)
    }),
}

/** `redrive status`. */
export const status: CommandModule = {
  run: (invocation) =>
    withClient(invocation, async (client) => {
      const queue = queueOf(invocation)
      const redrives = await client.queues.redrives(queue)
      const shown = invocation.flag('all') ? redrives : redrives.filter(({ dryRun }) => !dryRun)
      invocation.out.line(
        shown.length === 0
          ? `queue ${queue} had no redrive; \`kiroku redrive ${queue}\` starts one`
          : redriveTable(shown),
      )
      const counted = redrives.length - shown.length
      if (counted > 0)
        invocation.out.line(`${counted} only counted: --all shows ${counted === 1 ? 'it' : 'them'}`)
      invocation.out.result({ queue, redrives })
    }),
}

/** `redrive cancel`. */
export const cancel: CommandModule = {
  run: (invocation) =>
    withClient(invocation, async (client) => {
      const subscription = invocation.text('subscription')
      const options = subscription === undefined ? {} : { subscription }
      const redrive = await client.queues.cancelRedrive(queueOf(invocation), options, localActor())
      invocation.out.line(describeRedrive(redrive))
      invocation.out.result(redrive)
    }),
}
