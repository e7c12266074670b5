import type { MemoryEngine } from '@kiroku/testkit/engine'
import type { TailNote } from '../verify/TailNote.ts'
import { decodeRecord, encodeRecord, type FrameContent, type MemoryLog } from '@kiroku/log'
import {
  type Actor,
  type Answers,
  type Command,
  type CommandType,
  encodeEnvelope,
  type LogEvent,
  type Reply,
} from '@kiroku/protocol'

/** The actor of commands in tests. */
export const tester: Actor = { name: 'test', origin: 'test' }

/** A body as clients send it. */
export const body = (text: string): Uint8Array => encodeEnvelope(new TextEncoder().encode(text))

/** An engine as tests talk to it. */
interface Engine {
  node(): { request(partition: number, commands: readonly Command[]): Promise<Reply> }
}

/** Runs one command and fails on a rejection. */
export const ask = async <T extends CommandType>(
  engine: Engine,
  partition: number,
  command: Extract<Command, { type: T }>,
): Promise<Answers[T]> => {
  const { answers } = await engine.node().request(partition, [command])
  const { ok, error } = answers[0]!
  if (error !== undefined) throw new Error(`${error.id}: ${error.message}`)
  return ok as Answers[T]
}

let sends = 0

/** Sends messages under a new send number. */
export const send = (engine: Engine, partition: number, queue: string, ...texts: string[]) =>
  ask(engine, partition, {
    type: 'Enqueue',
    queue,
    producer: 'tester',
    send: ++sends,
    messages: texts.map(body),
  })

/** Receives what is available now. */
export const receive = async (engine: Engine, partition: number, queue: string, max = 10, waitMs = 0) => {
  const { delivery } = await ask(engine, partition, {
    type: 'Receive',
    queue,
    poll: `poll-${++sends}`,
    max,
    waitMs,
    mode: 'push',
    consumer: 'worker-1',
  })
  if (delivery === undefined) throw new Error(`nothing to receive from ${queue}`)
  return {
    delivery: delivery.delivery,
    numbers: delivery.numbers,
    items: [{ queue: delivery.queue, sub: 0, delivery: delivery.delivery, numbers: delivery.numbers }],
  }
}

/** The last frame of a log, from which a forger continues. */
export const lastFrame = async (log: MemoryLog, partition: number) => {
  const handle = await log.partition(partition)
  const { lastSeq } = await handle.state()
  const record = decodeRecord((await handle.get(lastSeq))!.data)
  if (record.kind !== 'frame') throw new Error('the last record is no frame')
  return { seq: lastSeq, epoch: record.epoch, at: record.at, hash: record.hash, events: record.events }
}

/** Appends a frame that is valid in every way but holds the given events. Returns its sequence. */
export const forge = async (
  log: MemoryLog,
  partition: number,
  events: readonly LogEvent[],
  content: Partial<FrameContent> = {},
): Promise<number> => {
  const { epoch, at, hash } = await lastFrame(log, partition)
  return log.faults.write(
    partition,
    encodeRecord({ epoch, at, events, sections: [], ...content }, hash).bytes,
  )
}

/** The tail note of a node that saw the log as it is now. */
export const noteOfEnd = async (engine: MemoryEngine): Promise<TailNote> => {
  const { seq, hash, epoch } = await lastFrame(engine.log, 0)
  return { partition: 0, epoch, seq, hash: Buffer.from(hash).toString('hex') }
}

/** Sequence of the first frame that holds messages. */
export const firstSend = async (engine: MemoryEngine): Promise<number> => {
  for await (const { seq, data } of (await engine.log.partition(0)).read(1)) {
    const record = decodeRecord(data)
    if (record.kind === 'frame' && record.events.some((e) => e.type === 'Enqueued')) return seq
  }
  throw new Error('nothing was sent')
}
