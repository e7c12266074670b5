import type { Client, SettleResult } from '@kiroku/client'
import { parseDurationMs } from '@kiroku/protocol'
import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import { withClient } from '../../serve/withClient.ts'

const settle = (
  done: string,
  act: (client: Client, receipts: readonly string[], invocation: Invocation) => Promise<SettleResult[]>,
): CommandModule => ({
  run: (invocation) =>
    withClient(invocation, async (client) => {
      const receipts = invocation
        .argument('receipts')!
        .split(',')
        .map((each) => each.trim())
      const results = await act(client, receipts, invocation)
      const failed = results.find(({ error }) => error !== undefined)
      const count = results.filter(({ error }) => error === undefined).length
      invocation.out.line(`${count} ${count === 1 ? 'message' : 'messages'} ${done}`)
      if (failed?.error !== undefined) throw failed.error
      invocation.out.result({ [done]: count })
    }),
})

/** `ack`. */
export const ack = settle('acknowledged', (client, receipts) => client.ack(receipts))

/** `retry`. */
export const retry = settle('retried', (client, receipts, { text }) => {
  const [delay, error] = [text('delay'), text('reason')]
  return client.retry(receipts, {
    ...(delay === undefined ? {} : { delayMs: parseDurationMs(delay, '--delay') }),
    ...(error === undefined ? {} : { error }),
  })
})

/** `release`. */
export const release = settle('released', (client, receipts, { text, flag }) => {
  const [delay, error] = [text('delay'), text('reason')]
  return client.release(receipts, {
    ...(delay === undefined ? {} : { delayMs: parseDurationMs(delay, '--delay') }),
    ...(error === undefined ? {} : { error }),
    holdSubscription: flag('hold-subscription'),
  })
})
