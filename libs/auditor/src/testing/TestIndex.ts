import { parseFilter } from '@kiroku/audit'
import { type Answers, type Command, type CommandType, encodeEnvelope } from '@kiroku/protocol'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach } from 'vitest'
import { openIndexToWrite } from '../index/IndexDatabase.ts'
import { IndexFollower } from '../index/IndexFollower.ts'
import { IndexWriter } from '../index/IndexWriter.ts'
import { searchIndex } from '../index/searchIndex.ts'

export const by = { name: 'ann', origin: 'cli test', reason: 'to try it' }
export const encoder = new TextEncoder()
export let engine: MemoryEngine
export let writer: IndexWriter
export let followers: IndexFollower[]
let sends = 0

export const ask = async <T extends CommandType>(
  partition: number,
  command: Extract<Command, { type: T }>,
): Promise<Answers[T]> => {
  const { ok, error } = (await engine.node().request(partition, [command])).answers[0]!
  if (error !== undefined) throw new Error(`${error.id}: ${error.message}`)
  return ok as Answers[T]
}

export const create = (queue: string, config: Record<string, unknown> = {}, partition = 0) =>
  ask(partition, { type: 'CreateQueue', queue, config, by })

export const send = (
  queue: string,
  values: readonly unknown[],
  options: { group?: string; tag?: string } = {},
) =>
  ask(0, {
    type: 'Enqueue',
    queue,
    producer: 'tester',
    send: ++sends,
    messages: values.map((value) =>
      encodeEnvelope(encoder.encode(JSON.stringify(value)), { attributes: { region: 'eu' }, ...options }),
    ),
    ...(options.tag === undefined ? {} : { tags: values.map(() => options.tag!) }),
  })

export const receive = async (queue: string, max = 10, partition = 0, subscription?: string) => {
  const { delivery } = await ask(partition, {
    type: 'Receive',
    queue,
    poll: `poll-${++sends}`,
    max,
    waitMs: partition === 0 ? 0 : 5_000,
    mode: 'push',
    consumer: 'worker-1',
    ...(subscription === undefined ? {} : { subscription }),
  })
  return delivery
}

const open = async () => {
  writer = new IndexWriter(openIndexToWrite(undefined))
  followers = []
  for (let n = 0; n < engine.log.meta.partitions; n++)
    followers.push(new IndexFollower(n, { log: engine.log, writer, decodeCheckpoint }))
}
export const catchUp = async () => {
  for (const follower of followers) await follower.run()
}
export const search = (
  filter: string,
  options: { limit?: number; cursor?: string; asOperator?: boolean } = {},
) =>
  searchIndex(writer.database, parseFilter(filter, engine.node().actors.get(0)!.state.at), {
    incarnation: 'memory',
    ...options,
  })
export const found = async (filter: string): Promise<string[]> =>
  (await search(filter, { asOperator: true })).messages
    .map(({ queue, number, subscription }) => `${queue}/${subscription} ${number}`)
    .sort()

/** Starts another engine with an empty index. */
export const begin = async (): Promise<void> => {
  engine = await startMemoryEngine({ partitions: 2, checkpoints: { bytesMin: 1e9, ageMs: 1e9 } })
  await open()
}

/** Follows with these options from now on. */
export const follow = (...those: IndexFollower[]): void => {
  followers = those
}

/** A new send number. */
export const nextSend = (): number => ++sends

/** An engine and an index of its log before each test. */
export const withIndexedEngine = (): void => {
  beforeEach(begin)
  afterEach(() => engine.close())
}
