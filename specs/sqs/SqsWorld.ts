import { CreateQueueCommand, type QueueAttributeName, SQSClient } from '@aws-sdk/client-sqs'
import { createClient, inProcess, type Client } from '@kiroku/client'
import { DoorRequests, httpLimitsDefault, Tokens, type HttpLimits } from '@kiroku/doors'
import { Keys, parseKeys, sqsDoor } from '@kiroku/gateway-sqs'
import { featureLevel } from '@kiroku/protocol'
import { startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'

const by = { name: 'spec', origin: 'test' }

/** An engine with its door for SQS, and the official client at it. */
export interface SqsWorld extends AsyncDisposable {
  readonly client: Client
  readonly engine: MemoryEngine
  readonly url: string
  /** Another door to the same engine, with a client of its own. */
  readonly otherUrl: string
  readonly sqs: SQSClient
  /** What failed inside the door unexpectedly. */
  readonly defects: readonly unknown[]
  /** Creates a queue through the door, and returns its URL. */
  readonly create: (name: string, attributes?: Attributes, tags?: Record<string, string>) => Promise<string>
}

/** Attributes of a queue, as SQS has them. */
export type Attributes = Partial<Record<QueueAttributeName, string>>

/** How the door names a queue to the client of this world. */
export const arn = (queue: string): string => `arn:aws:sqs:eu-central-1:000000000000:${queue}`

/** The name and the text of the error that a request is refused with; undefined: it is not. */
export const refusal = (asked: Promise<unknown>): Promise<string | undefined> =>
  asked.then(
    () => undefined,
    ({ name, message }: Error) => `${name}: ${message}`,
  )

/** Keys that the official client may sign with. */
const credentials = { accessKeyId: 'any', secretAccessKey: 'any' }

/**
 * A door of a client.
 *
 * @param defects takes what fails inside it unexpectedly
 */
export const openDoor = async (
  client: Client,
  of: {
    readonly keys?: string | undefined
    readonly limits?: Partial<HttpLimits>
    readonly pauseMs?: number | undefined
  },
  defects: unknown[] = [],
) => {
  const requests = new DoorRequests()
  const { url, close } = await sqsDoor({
    host: '127.0.0.1',
    port: 0,
    limits: { ...httpLimitsDefault, ...of.limits },
    account: '000000000000',
    pauseMs: of.pauseMs,
    keys: of.keys === undefined ? undefined : new Keys(parseKeys(of.keys)),
  }).start({
    client,
    tokens: new Tokens(),
    drainMs: 2_000,
    outage: () => Promise.resolve(undefined),
    requests,
    onDefect: (error) => defects.push(error),
    onRefused: () => {},
  })
  return { url, close, requests, defects }
}

/**
 * @param keys with which callers must sign; absent: the door is open
 * @param limits of the door, where they are not the defaults
 * @param pauseMs between two purges, and before a deleted queue is created again
 */
export const createSqsWorld = async (
  keys?: string,
  limits: Partial<HttpLimits> = {},
  pauseMs?: number,
): Promise<SqsWorld> => {
  const partitions = 2
  await using building = new AsyncDisposableStack()
  const engine = await startMemoryEngine({ partitions })
  building.defer(() => engine.close())
  for (let n = 0; n < partitions; n++)
    await engine.node().request(n, [{ type: 'RaiseClusterVersion', version: featureLevel, by }])
  const defects: unknown[] = []
  const open = async () => {
    const client = createClient(inProcess(engine.node()))
    building.defer(() => client.close())
    const door = await openDoor(client, { keys, limits, pauseMs }, defects)
    building.defer(() => door.close())
    return { client, url: door.url }
  }
  const { client, url } = await open()
  const { url: otherUrl } = await open()
  const sqs = new SQSClient({
    endpoint: url,
    region: 'eu-central-1',
    credentials,
    maxAttempts: 1,
  })
  building.defer(() => Promise.resolve(sqs.destroy()))
  const world = building.move()
  const create: SqsWorld['create'] = async (QueueName, Attributes = {}, tags) =>
    (await sqs.send(new CreateQueueCommand({ QueueName, Attributes, tags }))).QueueUrl!
  return {
    client,
    engine,
    url,
    otherUrl,
    sqs,
    defects,
    create,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
