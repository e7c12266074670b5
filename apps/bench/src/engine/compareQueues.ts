import { atLeast, informs, type Figure } from '../Figure.ts'
import type { Bench } from './Bench.ts'
import { compare, type Side } from './rounds.ts'
import { bodyBytes } from './sizes.ts'

const one = ['one']
const thousand = Array.from({ length: 1_000 }, (_, i) => `queue-${i}`)

/** The same lives in a thousand queues, all of them active, and in one. */
export const compareQueues = async (bench: Bench): Promise<Figure[]> => {
  const { sizes, producer, consumer, progress } = bench
  const messages = sizes.queuesLives
  await producer.ask('create', [...one, ...thousand])
  const lives = (queues: readonly string[], concurrency: number): Side => ({
    name: `lives in ${queues.length.toLocaleString('en')} ${queues.length === 1 ? 'queue' : 'queues'}`,
    count: messages,
    before: () => consumer.ask('consume', { queues, batch: 100, concurrency }),
    run: () =>
      Promise.all([
        consumer.ask('acknowledged', messages),
        producer.ask('send', { queues, messages, batch: 100, bodyBytes, window: 64 }),
      ]),
    after: () => consumer.ask('stop'),
  })
  const { rates, ratios } = await compare(sizes.rounds, [lives(one, 32), lives(thousand, 1)], (text) =>
    progress.step(text),
  )
  return [
    informs('lives in one queue', rates[0]!, '/s'),
    informs('lives in 1,000 queues', rates[1]!, '/s'),
    atLeast('1,000 queues over one', 100 / ratios[1]!, '%', 95),
  ]
}
