import { atLeast, informs, type Figure } from '../Figure.ts'
import type { Bench } from './Bench.ts'
import { compare } from './rounds.ts'
import { bodyBytes } from './sizes.ts'

const queue = 'lives'

/**
 * Send, deliver in batches of 100, acknowledge: compared with a JetStream work queue, message by message and
 * in atomic batches.
 */
export const compareLives = async (bench: Bench): Promise<Figure[]> => {
  const { sizes, producer, consumer, rawProducer, rawConsumer, progress } = bench
  await producer.ask('create', [queue])
  await consumer.ask('consume', { queues: [queue], batch: 100, concurrency: 32 })
  const { rates, ratios } = await compare(
    sizes.rounds,
    [
      {
        name: 'lives',
        count: sizes.lives,
        run: () =>
          Promise.all([
            consumer.ask('acknowledged', sizes.lives),
            producer.ask('send', {
              queues: [queue],
              messages: sizes.lives,
              batch: 100,
              bodyBytes,
              window: 64,
            }),
          ]),
      },
      {
        name: 'lives of raw JetStream',
        count: sizes.rawLives,
        run: () =>
          Promise.all([
            rawConsumer.ask('consume', { messages: sizes.rawLives, pull: 500 }),
            rawProducer.ask('publish', { messages: sizes.rawLives, bodyBytes, window: 500 }),
          ]),
        after: () => rawProducer.ask('purge'),
      },
      {
        name: 'lives of raw JetStream in atomic batches',
        count: sizes.atomicLives,
        run: () =>
          Promise.all([
            rawConsumer.ask('consume', { messages: sizes.atomicLives, pull: 10_000 }),
            rawProducer.ask('publishBatches', {
              messages: sizes.atomicLives,
              batch: 1_000,
              bodyBytes,
              window: 2,
            }),
          ]),
        after: () => rawProducer.ask('purge'),
      },
    ],
    (text) => progress.step(text),
  )
  await consumer.ask('stop')
  return [
    informs('lives', rates[0]!, '/s'),
    informs('lives of raw JetStream', rates[1]!, '/s'),
    informs('lives of raw JetStream in atomic batches of 1,000', rates[2]!, '/s'),
    atLeast('lives over raw JetStream', ratios[1]!, '×', 20),
    atLeast('lives over raw JetStream in atomic batches of 1,000', ratios[2]!, '×', 4),
  ]
}
