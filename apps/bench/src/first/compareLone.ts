import { startServer } from '@kiroku/nats-server'
import { atLeast, atMost, informs, median, type Figure } from '../Figure.ts'
import { LoadProcess } from '../LoadProcess.ts'
import { EngineProcess } from '../engine/EngineProcess.ts'
import type { ShapeLoad } from '../shapes/serveShape.ts'
import type { FirstRun } from './FirstRun.ts'
import { PeerServer, presentPeers } from './PeerServer.ts'
import { percentile } from './percentile.ts'
import { perSecond, warmUpPerSecond } from './sizes.ts'

/** One system: a server that has each message on disk before it says so, and a process that sends and handles. */
interface Side {
  readonly name: string
  readonly load: LoadProcess<ShapeLoad>
}

/**
 * From send to handler, one message at a time, each client as it is by default: Kiroku's `consumeEach`, a
 * Worker of BullMQ on Redis (`appendfsync always`) and a consumer of RabbitMQ (quorum queue, publisher
 * confirms). All of them have a message on disk before they deliver it, except Redis, which writes it
 * meanwhile.
 */
export const compareLone = async ({ sizes, progress, folder }: FirstRun): Promise<Figure[]> => {
  const stop: (() => Promise<void>)[] = []
  const load = (name: string, module: string, at: string): Side => {
    const process = new LoadProcess<ShapeLoad>(module, module, [at])
    stop.push(() => process.end())
    return { name, load: process }
  }
  try {
    progress.step('starting servers')
    const server = await startServer({ syncInterval: 'always' })
    stop.push(() => server.stop())
    const engine = await EngineProcess.start({
      nats: server.url,
      partitions: 4,
      dataDir: await folder(),
      isAudited: true,
    })
    stop.push(() => engine.stop())
    const sides = [load('Kiroku', 'shapeKiroku', server.url)]
    const present = presentPeers(['Redis', 'RabbitMQ'])
    if (present.has('Redis')) {
      const redis = await PeerServer.redis(await folder())
      stop.push(() => redis.stop())
      sides.push(load('BullMQ on Redis', 'shapeBull', String(redis.port)))
    }
    if (present.has('RabbitMQ')) {
      const rabbit = await PeerServer.rabbit(await folder())
      stop.push(() => rabbit.stop())
      sides.push(load('RabbitMQ', 'shapeRabbit', String(rabbit.port)))
    }

    const tookMs: number[][][] = sides.map(() => [])
    for (let round = 1 - sizes.warmUps; round <= sizes.rounds; round++)
      for (const [i, side] of sides.entries()) {
        if (round <= 0) {
          progress.step(`${side.name}, warming up`)
          await side.load.ask('measure', { count: sizes.warmUpMessages, perSecond: warmUpPerSecond })
        } else {
          progress.step(`${side.name}, round ${round} of ${sizes.rounds}`)
          tookMs[i]!.push(await side.load.ask('measure', { count: sizes.messages, perSecond }))
        }
      }
    return figuresOf(
      sides.map(({ name }) => name),
      tookMs,
    )
  } finally {
    for (const end of stop.reverse()) await end()
  }
}

const figuresOf = (names: readonly string[], tookMs: readonly (readonly number[][])[]): Figure[] =>
  [
    { percent: 50, mostMs: 3 },
    { percent: 99, mostMs: 10 },
  ].flatMap(({ percent, mostMs }) => {
    const ofRounds = tookMs.map((rounds) => rounds.map((took) => percentile(took, percent)))
    const [own, ...peers] = ofRounds.map(median)
    const title = `send to handler at ${perSecond}/s, p${percent}`
    return [
      atMost(title, own!, 'ms', mostMs),
      ...peers.flatMap((peer, i) => [
        informs(`${title}, ${names[i + 1]!}`, peer, 'ms'),
        atLeast(
          `${title}, ${names[i + 1]!} over Kiroku`,
          median(ofRounds[i + 1]!.map((each, round) => each / ofRounds[0]![round]!)),
          '×',
          1,
        ),
      ]),
    ]
  })
