import { startServer } from '@kiroku/nats-server'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atLeast, informs, type Figure } from '../Figure.ts'
import { LoadProcess, ownRoot } from '../LoadProcess.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import { Progress } from '../Progress.ts'
import { Checkout } from './Checkout.ts'
import { EngineProcess } from './EngineProcess.ts'
import { compare, type Side } from './rounds.ts'
import { bodyBytes, fullSizes, quickSizes, type Sizes } from './sizes.ts'

/** Engine, producer and consumer of one checkout, over a server of their own. */
interface Contender {
  readonly name: string
  readonly producer: LoadProcess<KirokuLoad>
  readonly consumer: LoadProcess<KirokuLoad>
}

const queues = Array.from({ length: 1_000 }, (_, i) => `queue-${i}`)
const shareMin = 0.9

/** Compares this checkout with another one, alternating: it must keep nine tenths of every rate. */
export const compareCheckouts = async (ref: string, quick: boolean): Promise<Figure[]> => {
  const sizes = quick ? quickSizes : fullSizes
  const progress = new Progress()
  const stop: (() => Promise<unknown>)[] = []
  try {
    progress.step(`checking out ${ref} and installing its packages`)
    const checkout = await Checkout.make(ref)
    stop.push(() => checkout.remove())
    progress.step('starting nats-servers and engines')
    const now = await contend('now', ownRoot, stop)
    const then = await contend(ref, checkout.root, stop)
    const figures: Figure[] = []
    for (const [name, sideOf] of Object.entries(contests)) {
      const sides = [sideOf(now, sizes), sideOf(then, sizes)]
      const { rates, ratios } = await compare(2 * sizes.rounds, sides, (text) => progress.step(text))
      figures.push(
        informs(`${name} now`, rates[0]!, '/s'),
        informs(`${name} at ${ref}`, rates[1]!, '/s'),
        atLeast(`${name} now over ${ref}`, ratios[1]!, '×', shareMin),
      )
    }
    return figures
  } finally {
    progress.end()
    for (const end of stop.reverse()) await end()
  }
}

const contend = async (name: string, root: string, stop: (() => Promise<unknown>)[]): Promise<Contender> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kiroku-bench-'))
  stop.push(() => rm(dataDir, { recursive: true, force: true }))
  const server = await startServer({ syncInterval: 'always' })
  stop.push(() => server.stop())
  const engine = await EngineProcess.start({ nats: server.url, partitions: 1, dataDir, root })
  stop.push(() => engine.stop())
  const load = (role: string): LoadProcess<KirokuLoad> => {
    const process = new LoadProcess<KirokuLoad>('kirokuLoad', `${role} ${name}`, [server.url], { root })
    stop.push(() => process.end())
    return process
  }
  const [producer, consumer] = [load('producer'), load('consumer')]
  await producer.ask('create', ['lives', 'sends', ...queues])
  return { name, producer, consumer }
}

const contests: Readonly<Record<string, (contender: Contender, sizes: Sizes) => Side>> = {
  lives: (contender, sizes) => livesIn(contender, sizes.lives, ['lives'], 32),
  [`lives in ${queues.length.toLocaleString('en')} queues`]: (contender, sizes) =>
    livesIn(contender, sizes.lives, queues, 1),
  'single sends': ({ name, producer }, sizes) => ({
    name: `single sends, ${name}`,
    count: sizes.sends,
    run: () => producer.ask('sendEach', { queue: 'sends', messages: sizes.sends, bodyBytes, window: 500 }),
    after: () => producer.ask('purge', 'sends'),
  }),
}

const livesIn = (
  { name, producer, consumer }: Contender,
  messages: number,
  names: readonly string[],
  concurrency: number,
): Side => ({
  name: `lives in ${names.length} queues, ${name}`,
  count: messages,
  before: () => consumer.ask('consume', { queues: names, batch: 100, concurrency }),
  run: () =>
    Promise.all([
      consumer.ask('acknowledged', messages),
      producer.ask('send', { queues: names, messages, batch: 100, bodyBytes, window: 64 }),
    ]),
  after: () => consumer.ask('stop'),
})
