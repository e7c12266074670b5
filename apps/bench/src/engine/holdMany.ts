import { informs, type Figure } from '../Figure.ts'
import type { Bench } from './Bench.ts'
import { bodyBytes } from './sizes.ts'

const queue = 'held'
const filler = 'filler'

/** A checkpoint that takes longer does not come. */
const checkpointMsMax = 60_000

/** Very many messages under a lease at the same time, and a checkpoint of that state, for the stall that it may cause. */
export const holdMany = async ({ sizes, producer, consumer, progress }: Bench): Promise<Figure[]> => {
  const messages = sizes.held
  await producer.ask('create', [queue, filler])
  progress.step(`sending ${messages.toLocaleString('en')} messages`)
  await producer.ask('send', { queues: [queue], messages, batch: 1_000, bodyBytes, window: 16 })
  progress.step(`leasing ${messages.toLocaleString('en')} messages`)
  await consumer.ask('hold', { queue, messages })
  progress.step('checkpoint of that state')
  const { last } = await producer.ask('checkpoint')
  const startMs = performance.now()
  // A checkpoint is made when the log has grown enough: large bodies make it grow, then the work continues
  // meanwhile.
  const large = { queues: [filler], messages: 48, batch: 1, bodyBytes: 1_000_000, window: 4 }
  await producer.ask('send', large)
  while ((await producer.ask('checkpoint')).checkpoint <= last) {
    if (performance.now() - startMs > checkpointMsMax) throw new Error('the engine makes no checkpoint')
    await producer.ask('send', { queues: [filler], messages: 1_000, batch: 100, bodyBytes, window: 4 })
  }
  const seconds = (performance.now() - startMs) / 1_000
  progress.step(`acknowledging ${messages.toLocaleString('en')} messages`)
  await consumer.ask('letGo')
  await producer.ask('purge', filler)
  return [
    informs('messages under a lease at the checkpoint', messages, ''),
    informs('until it was made', seconds, 's'),
  ]
}
