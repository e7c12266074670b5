import { decodeRecord, encodeRecord, type Log, type MemoryLog } from '@kiroku/log'
import {
  type Answers,
  type Command,
  type CommandType,
  decodeEnvelope,
  encodeEnvelope,
  type LogEvent,
} from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { type LockLease, Node, type NodeOptions } from '../Node.ts'

export const by = { name: 'test', origin: 'test' }
export const body = (text: string): Uint8Array => encodeEnvelope(new TextEncoder().encode(text))
export const text = (envelope: Uint8Array): string => new TextDecoder().decode(decodeEnvelope(envelope).body)

/** A node that owns partition 0 of a log until it is closed. */
export const startTestNode = async (log: Log, name = 'node-1', options: Partial<NodeOptions> = {}) => {
  const node = new Node({ log, name, ...options })
  return own(node)
}

/** Has a node own partition 0 until it is closed. */
export const own = async (node: Node, lease?: LockLease) => {
  const scope = Effect.runSync(Scope.make())
  const fiber = Effect.runFork(node.run(0, lease).pipe(Scope.provide(scope)))
  await waitUntil(() => node.actors.get(0)?.life === 'Active' || node.actors.get(0)?.life === 'Quarantined')
  const ask = async <T extends CommandType>(command: Extract<Command, { type: T }>): Promise<Answers[T]> => {
    const reply = await node.request(0, [command])
    const answer = reply.answers[0]!
    if (answer.error) throw new Error(answer.error.id)
    return answer.ok as Answers[T]
  }
  return { node, fiber, ask, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

export type TestNode = Awaited<ReturnType<typeof startTestNode>>

/** Writes the record of a repair that accepts the lost end of partition 0; numbers continue a thousand later. */
export const acceptLostEnd = async (log: MemoryLog): Promise<void> => {
  const handle = await log.partition(0)
  const { lastSeq } = await handle.state()
  const last = decodeRecord((await handle.get(lastSeq))!.data)
  const epoch = last.epoch + 1
  const lost = { from: lastSeq + 1, upTo: lastSeq, hash: '', skip: 1_000, note: '', by }
  const events: LogEvent[] = [
    { type: 'OwnerChanged', epoch, node: 'repair', part: 1, of: 1 },
    { type: 'Repaired', ...lost },
  ]
  log.faults.write(0, encodeRecord({ epoch, at: 1, events, sections: [] }, last.hash).bytes)
}

export const receive = (queue: string, max = 10, waitMs = 0): Extract<Command, { type: 'Receive' }> => ({
  type: 'Receive',
  queue,
  poll: `poll-${Math.random()}`,
  max,
  waitMs,
  mode: 'simple',
  consumer: 'test',
})

/** Stores, delivers and acknowledges as many messages of a queue as told, each in frames of its own. */
export const liveThrough = (
  { ask }: TestNode,
  name: string,
  producer = 'p',
): ((count: number) => Promise<void>) => {
  let sends = 0
  return async (count) => {
    for (let i = 0; i < count; i++) {
      await ask({ type: 'Enqueue', queue: name, producer, send: ++sends, messages: [body('x')] })
      const { queue, sub, delivery, numbers } = (await ask(receive(name, 1))).delivery!
      await ask({ type: 'Ack', items: [{ queue, sub, delivery, numbers }] })
    }
  }
}
