import { atLeast, informs, type Figure } from '../Figure.ts'
import type { Bench } from './engineBench.ts'
import { compare } from './rounds.ts'
import { bodyBytes } from './sizes.ts'

const one = ['one']
const thousand = Array.from({ length: 1_000 }, (_, i) => `queue-${i}`)

/** The same lives in a thousand queues, all of them active, and in one. */
export const compareQueues = async ({ sizes, producer, consumer, progress }: Bench): Promise<Figure[]> => {
  await producer.ask('create', [...one, ...thousand])
  const messages = sizes.queuesLives
  const lives = (queues: readonly string[], concurrency: number) => () =>
    Promise.all([
      consumer.ask('consume', { queues, messages, batch: 100, concurrency }),
      producer.ask('send', { queues, messages, batch: 100, bodyBytes, window: 64 }),
    ])
  const { rates, ratios } = await compare(
    sizes.rounds,
    [
      { name: 'lives in one queue', count: messages, run: lives(one, 32) },
      { name: 'lives in 1,000 queues', count: messages, run: lives(thousand, 1) },
    ],
    (text) => progress.step(text),
  )
  return [
    informs('lives in one queue', rates[0]!, '/s'),
    informs('lives in 1,000 queues', rates[1]!, '/s'),
    atLeast('1,000 queues over one', 100 / ratios[1]!, '%', 90),
  ]
}
