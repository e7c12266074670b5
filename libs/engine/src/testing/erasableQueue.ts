import { decodeRecord, type MemoryLog } from '@kiroku/log'
import { type CommandOf, encodeEnvelope, type LogEvent, type QueueConfig } from '@kiroku/protocol'
import type { CrashingLog } from './CrashingLog.ts'
import { receive, startTestNode, text } from './startTestNode.ts'

export const by = { name: 'ada', origin: 'test', reason: 'Art. 17' }
export const secret = 'the-plain-text-of-customer-42'
const encoder = new TextEncoder()

export const letter = (content: string) =>
  encodeEnvelope(encoder.encode(content), { attributes: { mail: `${content}@example.org` } })
let sends = 0
export const send = (messages: readonly string[], options: Partial<CommandOf<'Enqueue'>> = {}) => ({
  type: 'Enqueue' as const,
  queue: 'mail',
  producer: 'p',
  send: ++sends,
  messages: messages.map(letter),
  ...options,
})
export const start = async (log: MemoryLog | CrashingLog, name = 'one') => startTestNode(log, name)
export const withQueue = async (log: MemoryLog | CrashingLog, config: Partial<QueueConfig>) => {
  const one = await start(log)
  await one.ask({ type: 'CreateQueue', queue: 'mail', config, by })
  return one
}
export type One = Awaited<ReturnType<typeof start>>
export const texts = async (one: One, queue = 'mail', max = 1_000) => {
  const { delivery } = await one.ask(receive(queue, max))
  return (delivery?.messages ?? []).map(text)
}
export const erase = (one: One, what: Partial<CommandOf<'Erase'>>) =>
  one.ask({ type: 'Erase', queue: 'mail', by, ...what })
export const recordOf = async (log: MemoryLog) => {
  const bytes: Buffer[] = []
  const events: LogEvent[] = []
  for await (const { data } of (await log.partition(0)).read(1)) {
    bytes.push(Buffer.from(data))
    const record = decodeRecord(data)
    if (record.kind === 'frame') events.push(...record.events)
  }
  return { events, holds: (part: string) => bytes.some((b) => b.includes(part)) }
}
export const keysOf = (log: MemoryLog) =>
  new Set(log.keys.stored.map((value) => Buffer.from(value).toString('hex')))
