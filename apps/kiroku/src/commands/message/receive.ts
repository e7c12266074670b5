import type { ReceivedMessage } from '@kiroku/client'
import { tellBody } from '@kiroku/doors'
import { contentTypeOf, KirokuError, parseDurationMs } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { withClient } from '../../serve/withClient.ts'

export const run = (invocation: Invocation): Promise<void> =>
  withClient(invocation, async (client) => {
    const { argument, text, int, flag, out, signal } = invocation
    const wait = text('wait')
    const lease = text('lease')
    const subscription = text('subscription')
    const group = text('group')
    const messages = await client
      .receive(argument('queue')!, {
        max: int('max') ?? 1,
        ...(subscription === undefined ? {} : { subscription }),
        ...(group === undefined ? {} : { group }),
        ...(wait === undefined ? {} : { waitMs: parseDurationMs(wait, '--wait') }),
        ...(lease === undefined ? {} : { leaseMs: parseDurationMs(lease, '--lease') }),
        signal,
      })
      .catch((error: unknown) => {
        throw signal.aborted ? new KirokuError('Stopped', 'the receive was interrupted') : error
      })
    if (messages.length === 0) out.line('no message')
    for (const message of messages) show(message, out)
    if (flag('ack'))
      for (const { error } of await client.ack(messages.map((message) => message.receipt)))
        if (error !== undefined) throw error
    out.result({ messages: messages.map(asJson), acked: flag('ack') })
  })

const show = (message: ReceivedMessage, out: Invocation['out']): void => {
  out.line(`${message.id}  attempt ${message.attempt}  receipt ${message.receipt}`)
  const type = contentTypeOf(message.body)
  out.line(type === 'application/octet-stream' ? `(${message.body.length} bytes)` : message.text())
}

const asJson = (message: ReceivedMessage): Record<string, unknown> => ({
  id: message.id,
  receipt: message.receipt,
  attempt: message.attempt,
  enqueuedAt: message.enqueuedAt,
  leaseUntil: message.leaseUntil,
  attributes: message.attributes,
  ...(Object.keys(message.attributeTypes).length === 0 ? {} : { attributeTypes: message.attributeTypes }),
  tag: message.tag,
  group: message.group,
  dedupId: message.dedupId,
  contentType: message.contentType,
  lineage: message.lineage,
  ...bodyAsJson(message),
})

const bodyAsJson = (message: ReceivedMessage): Record<string, unknown> => {
  const told = tellBody('http', message)
  if ('base64' in told) return { bodyBase64: told.base64 }
  return { body: 'value' in told ? told.value : told.text }
}
