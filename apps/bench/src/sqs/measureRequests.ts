import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { atLeast, atMost, informs, median, type Figure } from '../Figure.ts'
import { percentile } from '../first/percentile.ts'
import type { LoadProcess } from '../LoadProcess.ts'
import type { SqsLoad } from '../load/sqsLoad.ts'
import { rawRequest } from './RawRequest.ts'
import { connections } from './sizes.ts'
import { type Serving, spentMs, SqsServers, type SqsRun } from './SqsRun.ts'

/** Bytes of every body. */
const bodyBytes = 128
const batch = 10

/** The requests of one server, as the AWS SDK sends them. */
const requestsAt = async (url: string, queue: string) => {
  const QueueUrl = `${url}/000000000000/${queue}`
  const MessageBody = 'x'.repeat(bodyBytes)
  const raw = (ask: (client: SQSClient) => Promise<unknown>) => rawRequest(url, ask)
  const Entries = Array.from({ length: batch }, (_, i) => ({ Id: String(i), MessageBody }))
  return {
    create: await raw((client) =>
      client.send(new CreateQueueCommand({ QueueName: queue, Attributes: { VisibilityTimeout: '43200' } })),
    ),
    send: await raw((client) => client.send(new SendMessageCommand({ QueueUrl, MessageBody }))),
    sendBatch: await raw((client) => client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))),
    receive: await raw((client) => client.send(new ReceiveMessageCommand({ QueueUrl }))),
    remove: await raw((client) =>
      client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'RECEIPT' })),
    ),
  }
}

type Requests = Awaited<ReturnType<typeof requestsAt>>

interface Side extends Serving {
  readonly requests: Requests
}

/** What the rounds gave, by task. */
interface Measured {
  readonly rates: readonly number[][]
  /** Processor time of the server a time that it was done, in ms. */
  readonly costs: readonly number[][]
}

/** What a side does again and again. */
interface Task {
  readonly name: string
  readonly side: Side
  readonly count: number
  readonly run: () => Promise<unknown>
  /** Makes ready for a round; not measured. */
  readonly before?: () => Promise<unknown>
}

/** Has tasks done in turn, every other round in the opposite order; the first round only warms up. */
const measure = async ({ progress }: SqsRun, rounds: number, tasks: readonly Task[]): Promise<Measured> => {
  const rates: number[][] = tasks.map(() => [])
  const costs: number[][] = tasks.map(() => [])
  const order = [...tasks.entries()]
  for (let round = 0; round <= rounds; round++, order.reverse())
    for (const [i, { name, side, count, run, before }] of order) {
      progress.step(`${name}, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
      await before?.()
      const beganMs = performance.now()
      const spentBefore = spentMs(side)
      await run()
      const tookMs = performance.now() - beganMs
      if (round === 0) continue
      rates[i]!.push((count / tookMs) * 1_000)
      costs[i]!.push((spentMs(side) - spentBefore) / count)
    }
  return { rates, costs }
}

/** The first task over the second, round by round. */
const ratio = ([a, b]: readonly number[][]): number => median(a!.map((each, i) => each / b![i]!))

const sends = (load: LoadProcess<SqsLoad>, side: Side, count: number): Task => ({
  name: `sends, ${side.name}`,
  side,
  count,
  run: () => load.ask('repeat', { url: side.url, request: side.requests.send, count, window: connections }),
})

const batches = (load: LoadProcess<SqsLoad>, side: Side, messages: number): Task => ({
  name: `sends in batches, ${side.name}`,
  side,
  count: messages,
  run: () =>
    load.ask('repeat', {
      url: side.url,
      request: side.requests.sendBatch,
      count: messages / batch,
      window: connections,
    }),
})

/**
 * Single requests of 64 connections against a bare server that reads the same JSON, computes the same digest and answers as many bytes.
 *
 * @param isAlways whether each message is on disk before it is acknowledged; otherwise nats-server syncs as it does by default
 */
const measureAgainstBare = async (run: SqsRun, isAlways: boolean): Promise<Figure[]> => {
  await using servers = new SqsServers(run)
  run.progress.step('starting servers')
  const [kiroku, bare, load] = [
    await servers.kiroku('Kiroku', { syncInterval: isAlways ? 'always' : '2m' }),
    await servers.bare(),
    servers.load(),
  ]
  const queue = 'mail'
  const own: Side = { ...kiroku, requests: await requestsAt(kiroku.url, queue) }
  const other: Side = { ...bare, requests: await requestsAt(bare.url, queue) }
  const sides = [own, other]
  const { sizes } = run
  await load.ask('time', { url: own.url, request: own.requests.create, count: 1 })

  const { rates, costs } = await measure(run, sizes.rounds, [
    ...sides.map((side) => sends(load, side, sizes.sends)),
    batches(load, own, sizes.batched),
  ])
  const [sent, sentToBare, batched] = [rates[0]!, rates[1]!, rates[2]!]

  // What a receive of the bare server answers is as long as what Kiroku does.
  await bare.server.ask('hold', await load.ask('one', { url: own.url, receive: own.requests.receive }))
  const received = await measure(
    run,
    sizes.rounds,
    sides.map((side): Task => ({
      name: `receives and deletes, ${side.name}`,
      side,
      count: sizes.received,
      run: () =>
        load.ask('receive', {
          url: side.url,
          receive: side.requests.receive,
          remove: side.requests.remove,
          count: sizes.received,
          window: connections,
        }),
      // Whatever was sent before is there to be received; this only makes sure that it is enough.
      ...(side === own ? { before: batches(load, own, sizes.received).run } : {}),
    })),
  )
  const perSecond = Math.floor(median(sent) / 2)
  const p99 = await measureP99(run, load, sides, perSecond)

  const synced = isAlways ? ', each on disk' : ', synced every two minutes'
  const least = isAlways ? 0.4 : 0.5
  return [
    informs(`sends${synced}`, median(sent), '/s'),
    atLeast(`sends${synced}, over a bare server`, ratio([sent, sentToBare]), '×', least),
    atMost(`processor of a send${synced}, over a bare server`, ratio(costs), '×', 2.5),
    informs(`messages in batches of 10${synced}`, median(batched), '/s'),
    atLeast(`messages in batches of 10 over single sends${synced}`, ratio([batched, sent]), '×', 5),
    informs(`receives and deletes${synced}`, median(received.rates[0]!), '/s'),
    atLeast(`receives and deletes${synced}, over a bare server`, ratio(received.rates), '×', least),
    atMost(
      `processor of a receive and a delete${synced}, over a bare server`,
      ratio(received.costs),
      '×',
      3.5,
    ),
    informs(`p99 of a send at half the load${synced}`, median(p99[0]!), 'ms'),
    atMost(`p99 of a send at half the load${synced}, over a bare server`, ratio(p99), '×', 4),
  ]
}

/** The times of sends at an even pace, by side and round, in ms. */
const measureP99 = async (
  { sizes, progress }: SqsRun,
  load: LoadProcess<SqsLoad>,
  sides: readonly Side[],
  perSecond: number,
): Promise<number[][]> => {
  const p99: number[][] = sides.map(() => [])
  for (let round = 0; round <= sizes.longRounds; round++)
    for (const [i, { name, url, requests }] of sides.entries()) {
      progress.step(`${perSecond} sends/s, ${name}, ${round === 0 ? 'warming up' : `round ${round}`}`)
      const count = sizes.paced
      const took = await load.ask('pace', {
        url,
        request: requests.send,
        count,
        perSecond,
        window: connections,
      })
      if (round > 0) p99[i]!.push(percentile(took, 99))
    }
  return p99
}

/** {@link measureAgainstBare} where what is acknowledged survives a crash of every process, but not a power cut. */
export const measureRequests = (run: SqsRun): Promise<Figure[]> => measureAgainstBare(run, false)

/** {@link measureAgainstBare} with every message on disk before it is acknowledged, as it is by default. */
export const measureAlways = (run: SqsRun): Promise<Figure[]> => measureAgainstBare(run, true)
