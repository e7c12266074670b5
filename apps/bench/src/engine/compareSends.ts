import { atLeast, informs, type Figure } from '../Figure.ts'
import type { Bench } from './Bench.ts'
import { compare } from './rounds.ts'
import { bodyBytes } from './sizes.ts'

const queue = 'sends'
const window = 500

/** 500 concurrent single sends, compared with 500 concurrent publishes. */
export const compareSends = async ({ sizes, producer, rawProducer, progress }: Bench): Promise<Figure[]> => {
  await producer.ask('create', [queue])
  const { rates, ratios } = await compare(
    sizes.rounds,
    [
      {
        name: 'single sends',
        count: sizes.sends,
        run: () => producer.ask('sendEach', { queue, messages: sizes.sends, bodyBytes, window }),
        after: () => producer.ask('purge', queue),
      },
      {
        name: 'single publishes',
        count: sizes.rawSends,
        run: () => rawProducer.ask('publish', { messages: sizes.rawSends, bodyBytes, window }),
        after: () => rawProducer.ask('purge'),
      },
    ],
    (text) => progress.step(text),
  )
  return [
    informs('single sends, 500 concurrent', rates[0]!, '/s'),
    informs('js.publish, 500 concurrent', rates[1]!, '/s'),
    atLeast('single sends over js.publish', ratios[1]!, '×', 5),
  ]
}
