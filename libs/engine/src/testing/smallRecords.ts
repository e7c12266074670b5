import { createMemoryLog, decodeRecord, type MemoryLog } from '@kiroku/log'
import {
  type Answer,
  type Command,
  type CommandOf,
  type Delivery,
  encodeEnvelope,
  type LogEvent,
} from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import { by, startTestNode } from './startTestNode.ts'

export const recordBytesMax = 150_000
export const wide = (length: number, n = 0): string => String.fromCharCode(0x4e00 + n).repeat(length)

/** A node on a log that takes only small records, in a time that the test moves. */
export const start = async () => {
  const time = new ManualTime()
  const log = createMemoryLog({ partitions: 1 }, { recordBytesMax, now: () => time.now() + 1_000_000 })
  const one = await startTestNode(log, 'one', { time })
  const ask = async (command: Command): Promise<Answer> => (await one.node.request(0, [command])).answers[0]!
  return { ...one, log, time, answer: ask, epoch: () => one.node.actors.get(0)!.epoch }
}
export type One = Awaited<ReturnType<typeof start>>

/** Every record, with the bytes of its facts. */
export const records = async (
  log: MemoryLog,
): Promise<{ bytes: number; eventsBytes: number; events: LogEvent[] }[]> => {
  const found = []
  for await (const { data } of (await log.partition(0)).read(1)) {
    const record = decodeRecord(data)
    if (record.kind !== 'frame') continue
    const eventsBytes = new DataView(data.buffer, data.byteOffset).getUint32(28, true)
    found.push({ bytes: data.length, eventsBytes, events: [...record.events] })
  }
  return found
}

export const send = (count: number, of: Partial<CommandOf<'Enqueue'>> = {}): CommandOf<'Enqueue'> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: `p${Math.random()}`,
  send: 1,
  messages: Array.from({ length: count }, () => encodeEnvelope(new Uint8Array(10))),
  ...of,
})
export const receive = (max: number, of: Partial<CommandOf<'Receive'>> = {}): CommandOf<'Receive'> => ({
  type: 'Receive',
  queue: 'mail',
  poll: `poll-${Math.random()}`,
  max,
  bytesMax: 1e9,
  waitMs: 0,
  mode: 'push',
  consumer: 'c',
  ...of,
})
export const create = (config: CommandOf<'CreateQueue'>['config'], queue = 'mail'): Command => ({
  type: 'CreateQueue',
  queue,
  config,
  by,
})
/** Pauses that differ from message to message. */
export const jittered = {
  kind: 'exponential',
  baseMs: 60_000,
  factor: 1,
  maxMs: 60_000,
  jitter: 0.5,
} as const

/** A delivery as settlements name it. */
export const itemOf = ({ queue, sub, delivery, numbers }: Delivery) => ({ queue, sub, delivery, numbers })
