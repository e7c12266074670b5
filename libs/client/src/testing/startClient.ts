import { onTestFinished } from 'vitest'
import { type Command, isKirokuError, KirokuError } from '@kiroku/protocol'
import { type MemoryEngine, startMemoryEngine } from '@kiroku/testkit/engine'
import {
  type Client,
  type ClientEvent,
  type ClientOptions,
  createClient,
  inProcess,
  type Transport,
} from '../index.ts'

/** An engine, a client of it, and what passed between them. */
export const start = async (options: ClientOptions = {}, wrap: (t: Transport) => Transport = (t) => t) => {
  const engine = await startMemoryEngine()
  onTestFinished(() => engine.close())
  const requests: (readonly Command[])[] = []
  const events: ClientEvent[] = []
  const transport = wrap(watched(engine, requests))
  const client = createClient(transport, { onEvent: (event) => events.push(event), ...options })
  onTestFinished(() => client.close())
  return { engine, client, requests, events }
}

/** The in-process transport to the node that owns the log now, with a record of its requests. */
const watched = (engine: MemoryEngine, requests: (readonly Command[])[]): Transport => {
  const listeners = new Set<(partition: number, epoch: number) => void>()
  const tell = (partition: number, epoch: number): void => listeners.forEach((each) => each(partition, epoch))
  engine.node().onOwnerChanged(tell)
  const transport = inProcess({
    directory: () => engine.node().directory(),
    request: (partition, commands) => {
      requests.push(commands)
      return engine.node().request(partition, commands)
    },
    onOwnerChanged: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  })
  return transport
}

export const counts = async (client: Client, queue: string) => (await client.queues.describe(queue)).counts

export const failure = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (isKirokuError(error) ? error.id : String(error)),
  )

export const lost = () => new KirokuError('Timeout', 'Lost on the way')
