import { createMemoryLog, decodeRecord } from '@kiroku/log'
import { ManualTime } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { CrashingLog } from '../testing/CrashingLog.ts'
import { body, by, startTestNode } from '../testing/startTestNode.ts'

/** A node with two queues and one send whose append has no answer until `land`. */
const given = async () => {
  const time = new ManualTime()
  const log = createMemoryLog({ partitions: 1 }, { now: () => time.wallMs() })
  const crashing = new CrashingLog(log)
  const { node, ask, close } = await startTestNode(crashing, 'one', { time })
  for (const queue of ['mail', 'other']) await ask({ type: 'CreateQueue', queue, config: {}, by })
  const part = await log.partition(0)
  const { lastSeq } = await part.state()
  crashing.freeze()
  let sends = 0
  const replies: ReturnType<typeof node.request>[] = []
  const send = async (text: string, queue = 'mail') => {
    const messages = [body(text)]
    replies.push(node.request(0, [{ type: 'Enqueue', queue, producer: 'p', send: ++sends, messages }]))
    await time.settle()
  }
  await send('first')
  return {
    time,
    send,
    land: async () => {
      crashing.thaw()
      await time.settle()
    },
    /** How many facts each record holds that was sent off since; 0: it is a large body. */
    records: async () => {
      const counts: number[] = []
      for await (const { data } of part.read(lastSeq + 1)) {
        const record = decodeRecord(data)
        counts.push(record.kind === 'frame' ? record.events.length : 0)
      }
      return counts
    },
    close: async () => {
      crashing.thaw()
      for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error).toBeUndefined()
      await close()
    },
  }
}

describe('what comes while an append is under way', () => {
  it('shares one record, which leaves when the append has landed', async () => {
    const { send, land, records, close } = await given()
    for (let n = 0; n < 50; n++) await send(`m${n}`, n % 2 === 0 ? 'mail' : 'other')
    expect(await records()).toEqual([1])
    await land()
    expect(await records()).toEqual([1, 50])
    await close()
  })

  it('does not wait for it once it is much', async () => {
    const { send, records, close } = await given()
    const quarter = 'x'.repeat(limits.gatheredBytesMax / 4)
    for (let n = 0; n < 3; n++) await send(quarter)
    expect(await records()).toEqual([1])
    await send(quarter)
    expect(await records()).toEqual([1, 4])
    await close()
  })

  it('does not wait for it with a body that has a record of its own, nor with what names it', async () => {
    const { send, records, close } = await given()
    await send('x'.repeat(limits.inlineBodyBytesMax + 1))
    expect(await records()).toEqual([1, 0, 1])
    await close()
  })

  it('waits briefly where the log is slow, and has as many appends under way as there may be', async () => {
    const { time, send, records, close } = await given()
    for (let n = 0; n < limits.gatherMsMax; n++) {
      await send(`m${n}`)
      expect(await records()).toEqual([1])
      await time.advance(1)
    }
    expect(await records()).toEqual([1, limits.gatherMsMax])
    for (let n = 2; n < 10; n++) {
      await send('more')
      expect(await records()).toHaveLength(Math.min(n + 1, limits.appendsInFlight))
    }
    await close()
  })
})
