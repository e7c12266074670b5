import { createMemoryLog, decodeRecord } from '@kiroku/log'
import { recordBytes } from '@kiroku/partition'
import { type Command, type CommandOf } from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { Sizes } from '../append/Sizes.ts'
import { body, by, startTestNode } from '../testing/startTestNode.ts'

const recordBytesMax = 150_000
const { turnBytesMax } = new Sizes(recordBytesMax)

/** A node on a log that takes small records, whose time can move on without a timer that fires of it. */
const start = async () => {
  const manual = new ManualTime()
  let skippedMs = 0
  const time = {
    monotonicMs: () => manual.monotonicMs() + skippedMs,
    wallMs: () => manual.wallMs() + skippedMs,
    after: manual.after.bind(manual),
  }
  const log = createMemoryLog({ partitions: 1 }, { recordBytesMax, now: time.wallMs })
  const one = await startTestNode(log, 'one', { time })
  for (const queue of ['mail', 'other']) await one.ask({ type: 'CreateQueue', queue, config: {}, by })
  const { state } = one.node.actors.get(0)!
  let pauses = 0
  /** A command that takes this share of a turn, and is never without effect. */
  const pause = (share: number): Command => {
    const type = pauses++ % 2 === 0 ? 'PauseDelivery' : 'ResumeDelivery'
    const command = { type, queue: 'other', by: { ...by, reason: '' } } as const
    const reason = 'x'.repeat(Math.floor(share * turnBytesMax) - recordBytes(state, command))
    return { ...command, by: { ...by, reason } }
  }
  /** What each frame holds while these commands are decided. */
  const facts = async (commands: readonly Command[]): Promise<string[]> => {
    const part = await log.partition(0)
    const { lastSeq } = await part.state()
    const { answers } = await one.node.request(0, commands)
    expect(answers.filter(({ error }) => error !== undefined)).toEqual([])
    const frames: string[] = []
    for await (const { data } of part.read(lastSeq + 1)) {
      const record = decodeRecord(data)
      if (record.kind === 'frame')
        frames.push([...new Set(record.events.map(({ type }) => kindOf[type] ?? 'commands'))].join('+'))
    }
    return frames
  }
  return { ...one, pause, facts, skip: (ms: number) => void (skippedMs += ms) }
}

const kindOf: Readonly<Record<string, string>> = { Enqueued: 'sends', DelayElapsed: 'due' }

let sends = 0
const send = (of: Partial<CommandOf<'Enqueue'>> = {}): CommandOf<'Enqueue'> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: 'p',
  send: ++sends,
  messages: [body('x')],
  ...of,
})
const many = (count: number, make: () => Command): Command[] => Array.from({ length: count }, make)

describe('a flood of commands', () => {
  it('leaves room in every turn for what is due', async () => {
    const { ask, pause, facts, skip, close } = await start()
    await ask(send({ delayMs: 5_000 }))
    skip(5_000)
    // Three of them are the share of commands; four would leave nothing.
    const frames = await facts(many(12, () => pause(0.24)))
    expect(frames).toEqual(['commands+due', 'commands', 'commands', 'commands'])
    await close()
  })

  it('leaves every other turn to what is due where each of them takes more than its share', async () => {
    const { ask, pause, facts, skip, close } = await start()
    await ask(send({ delayMs: 5_000 }))
    skip(5_000)
    const frames = await facts(many(3, () => pause(0.95)))
    expect(frames).toEqual(['commands', 'due', 'commands', 'commands'])
    await close()
  })

  it('goes first in turn with a flood of sends, so that neither waits for the other to end', async () => {
    const { pause, facts, close } = await start()
    const tags = Array.from({ length: 100 }, (_, n) => String.fromCharCode(0x4e00 + n).repeat(80))
    const messages = tags.map((tag) => body(tag.slice(0, 1)))
    const frames = await facts([...many(12, () => pause(0.24)), ...many(8, () => send({ messages, tags }))])
    expect(frames.slice(0, 4).map((frame) => frame.startsWith('sends'))).toEqual([false, true, false, true])
    await close()
  })
})
