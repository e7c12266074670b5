import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@kiroku/client'
import { isKirokuError, parseReceipt } from '@kiroku/protocol'
import type { Work } from './Work.ts'
import { parked } from './queues.ts'

const everyMs = 200
const editsAtOnce = 10

/** What may be answered when a message moved on meanwhile, a redrive still runs, or an answer was lost. */
const isLawful = (error: unknown): boolean =>
  isKirokuError(error) && ['NotEditable', 'UnknownMessage', 'RedriveRunning'].includes(error.id)

/** Corrects parked dead letters and moves them back to where they came from, until `signal` says so. */
export const repairParked = async (
  client: Client,
  signal: AbortSignal,
  failed: (what: string, error: unknown) => void,
): Promise<void> => {
  const tried = async (what: string, run: () => Promise<unknown>): Promise<void> => {
    try {
      await run()
    } catch (error) {
      if (!isLawful(error)) failed(what, error)
    }
  }
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal }).catch(() => undefined)
    await tried('correct dead letters', async () => {
      const messages = await client.receive(parked, { max: editsAtOnce })
      await client.release(messages.map(({ receipt }) => receipt))
      for (const message of messages)
        await tried('edit a dead letter', () =>
          client.queues.editBody(parked, {
            number: parseReceipt(message.receipt).number,
            messageId: message.id,
            body: { label: message.json<Work>().label, task: 'ack' },
          }),
        )
    })
    await tried('move dead letters back', () => client.queues.redrive(parked))
  }
}
