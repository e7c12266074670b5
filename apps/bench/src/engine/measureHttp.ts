import { atLeast, type Figure, informs } from '../Figure.ts'
import type { BareSqs } from '../load/bareSqs.ts'
import type { HttpLoad } from '../load/httpLoad.ts'
import { LoadProcess } from '../LoadProcess.ts'
import type { Bench } from './Bench.ts'
import { compare } from './rounds.ts'
import { bodyBytes } from './sizes.ts'

const queue = 'http'
const connections = 64

/**
 * Single sends through the engine's own HTTP API: one after the other, and on many connections, there beside a bare server that reads the
 * same JSON and stores nothing.
 */
export const measureHttp = async ({ sizes, producer, http, progress }: Bench): Promise<Figure[]> => {
  await producer.ask('create', [queue])
  await using stack = new AsyncDisposableStack()
  const bare = new LoadProcess<BareSqs>('bareSqs', 'bare')
  stack.defer(() => bare.end())
  const toBare = new LoadProcess<HttpLoad>('httpLoad', 'http-bare', [await bare.ask('url')])
  stack.defer(() => toBare.end())
  const side = (load: LoadProcess<HttpLoad>, name: string, window: number, messages: number) => ({
    name,
    count: messages,
    run: () => load.ask('sendEach', { queue, messages, bodyBytes, window }),
    after: () => producer.ask('purge', queue),
  })
  const many = `single sends over HTTP, ${connections} concurrent`
  const sides = [
    side(http, many, connections, sizes.httpSends),
    side(toBare, `${many}, to a bare server`, connections, sizes.httpSends),
    side(http, 'single sends over HTTP, 1 concurrent', 1, sizes.httpLone),
  ]
  const { rates, ratios } = await compare(sizes.rounds, sides, (text) => progress.step(text))
  return [
    ...sides.map(({ name }, i) => informs(name, rates[i]!, '/s')),
    atLeast(`${many}, over a bare server`, ratios[1]!, '×', 0.6),
  ]
}
