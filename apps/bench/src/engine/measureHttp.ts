import { informs, type Figure } from '../Figure.ts'
import type { Bench } from './Bench.ts'
import { compare } from './rounds.ts'
import { bodyBytes } from './sizes.ts'

const queue = 'http'

/** Single sends through the engine's own HTTP API: one after the other, and 64 at a time. */
export const measureHttp = async ({ sizes, producer, http, progress }: Bench): Promise<Figure[]> => {
  await producer.ask('create', [queue])
  const side = (window: number, messages: number) => ({
    name: `single sends over HTTP, ${window} concurrent`,
    count: messages,
    run: () => http.ask('sendEach', { queue, messages, bodyBytes, window }),
    after: () => producer.ask('purge', queue),
  })
  const sides = [side(1, sizes.httpLone), side(64, sizes.httpSends)]
  const { rates } = await compare(sizes.rounds, sides, (text) => progress.step(text))
  return sides.map(({ name }, i) => informs(name, rates[i]!, '/s'))
}
