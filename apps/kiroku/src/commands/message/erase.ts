import { KirokuError } from '@kiroku/protocol'
import type { CommandModule } from '../../cli/CommandSpec.ts'
import { withClient } from '../../serve/withClient.ts'

/** `erase`. */
export const run: CommandModule['run'] = (invocation) => {
  const { argument, text, out } = invocation
  const queue = argument('queue')!
  const [messageId, group, reason] = [text('message'), text('group'), text('reason')]
  if ((messageId === undefined) === (group === undefined))
    throw new KirokuError('InvalidArgument', 'say what to erase: either --message ID or --group GROUP')
  if (reason === undefined || reason === '')
    throw new KirokuError('InvalidArgument', 'say why with --reason, for the record')
  return withClient(invocation, async (client) => {
    const what = messageId === undefined ? { group: group! } : { messageId }
    const { discarded } = await client.queues.erase(queue, { ...what, reason })
    const name = messageId === undefined ? `group ${group}` : `message ${messageId}`
    out.line(`${name} erased: its key is deleted, ${discarded} were not final`)
    out.result({ queue, ...what, discarded })
  })
}
