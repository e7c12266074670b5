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

/** What the rounds of one task gave, by side. */
interface Measured {
  readonly rates: readonly number[][]
  /** Processor time of the server a time that it was done, in ms. */
  readonly costs: readonly number[][]
}

/** Lets the sides do a task in turn. */
const measure = async (
  { sizes, progress }: SqsRun,
  what: string,
  count: number,
  sides: readonly Side[],
  run: (side: Side, count: number) => Promise<unknown>,
  before?: (side: Side, count: number) => Promise<unknown>,
): Promise<Measured> => {
  const rates: number[][] = sides.map(() => [])
  const costs: number[][] = sides.map(() => [])
  for (let round = 0; round <= sizes.rounds; round++)
    for (const [i, side] of sides.entries()) {
      progress.step(
        `${what}, ${side.name}, ${round === 0 ? 'warming up' : `round ${round} of ${sizes.rounds}`}`,
      )
      await before?.(side, count)
      const beganMs = performance.now()
      const spentBefore = spentMs(side)
      await run(side, count)
      const tookMs = performance.now() - beganMs
      if (round === 0) continue
      rates[i]!.push((count / tookMs) * 1_000)
      costs[i]!.push((spentMs(side) - spentBefore) / count)
    }
  return { rates, costs }
}

/** The first side over the second, round by round. */
const ratio = ([a, b]: readonly number[][]): number => median(a!.map((each, i) => each / b![i]!))

const sendEach = (load: LoadProcess<SqsLoad>) => (side: Side, count: number) =>
  load.ask('repeat', { url: side.url, request: side.requests.send, count, window: connections })

const sendBatches = (load: LoadProcess<SqsLoad>) => (side: Side, count: number) =>
  load.ask('repeat', {
    url: side.url,
    request: side.requests.sendBatch,
    count: count / batch,
    window: connections,
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

  const sends = await measure(run, 'sends', sizes.sends, sides, sendEach(load))
  const batched = await measure(run, 'sends in batches', sizes.batched, [own], sendBatches(load))

  // What a receive of the bare server answers is as long as what Kiroku does.
  await bare.server.ask('hold', await load.ask('one', { url: own.url, receive: own.requests.receive }))
  const received = await measure(
    run,
    'receives and deletes',
    sizes.received,
    sides,
    (side, count) =>
      load.ask('receive', {
        url: side.url,
        receive: side.requests.receive,
        remove: side.requests.remove,
        count,
        window: connections,
      }),
    // Whatever was sent before is there to be received; this only makes sure that it is enough.
    (side, count) => (side === own ? sendBatches(load)(side, count) : Promise.resolve()),
  )
  const perSecond = Math.floor(median(sends.rates[0]!) / 2)
  const p99 = await measureP99(run, load, sides, perSecond)

  const synced = isAlways ? ', each on disk' : ', synced every two minutes'
  const least = isAlways ? 0.4 : 0.5
  return [
    informs(`sends${synced}`, median(sends.rates[0]!), '/s'),
    atLeast(`sends${synced}, over a bare server`, ratio(sends.rates), '×', least),
    atMost(`processor of a send${synced}, over a bare server`, ratio(sends.costs), '×', 2.5),
    informs(`messages in batches of 10${synced}`, median(batched.rates[0]!), '/s'),
    atLeast(
      `messages in batches of 10 over single sends${synced}`,
      median(batched.rates[0]!.map((each, i) => each / sends.rates[0]![i]!)),
      '×',
      5,
    ),
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
  for (let round = 0; round <= sizes.rounds; round++)
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
