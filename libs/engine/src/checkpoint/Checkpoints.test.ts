import { createMemoryLog, decodeRecord, type MemoryLog, type PartitionLog } from '@kiroku/log'
import { type LogEvent } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { alteredLog, checkpointed, eventsOf } from '../testing/alteredLog.ts'
import { body, by, receive, startTestNode } from '../testing/startTestNode.ts'

/** One ownership after another, each too short for a checkpoint of its own, until the condition is met. */
const changeOwners = async (log: MemoryLog, met: () => Promise<boolean>): Promise<void> => {
  let sends = 0
  await waitUntil(
    async () => {
      const owner = await startTestNode(log, `owner ${++sends}`, {
        checkpoints: { bytesMin: 20_000, ageMs: 1e9 },
      })
      if (sends === 1) await owner.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
      const messages = [body('x'.repeat(5_000))]
      await owner.ask({ type: 'Enqueue', queue: 'mail', producer: 'p', send: sends, messages })
      const { queue, delivery, numbers } = (await owner.ask(receive('mail', 1))).delivery!
      await owner.ask({ type: 'Ack', items: [{ queue, sub: 0, delivery, numbers }] })
      await owner.close()
      return await met()
    },
    { timeoutMs: 30_000 },
  )
}

describe('owners that change often', () => {
  it('still make checkpoints, so that no replay becomes long', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const { checkpoints } = await log.partition(0)
    await changeOwners(log, async () => (await checkpoints.list()).length >= 2)
    const [newest, older] = await checkpoints.list()
    expect(newest! - older!).toBeGreaterThan(10)
  })

  it('still trim the log to its record limit', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 50_000 })
    const part = await log.partition(0)
    await changeOwners(log, async () => (await part.state()).firstSeq > 1)
    expect((await part.state()).bytes).toBeLessThan(100_000)
  })
})

describe('a checkpoint that cannot be stored', () => {
  it('is told of and counted, and the work goes on', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const { checkpoints } = await log.partition(0)
    const troubles: string[] = []
    const one = await startTestNode(log, 'one', {
      checkpoints: { bytesMin: 10_000, ageMs: 1e9 },
      onTrouble: (_, what) => void troubles.push(what),
    })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    const send = (n: number) =>
      one.ask({
        type: 'Enqueue',
        queue: 'mail',
        producer: 'p',
        send: n,
        messages: [body('x'.repeat(20_000))],
      })
    // Checkpoints are immutable: none is stored where another one is.
    for (let seq = 1; seq < 50; seq++) await checkpoints.put(seq, new Uint8Array([1]))
    await send(1)
    await waitUntil(() => troubles.length > 0)
    expect(troubles[0]).toMatch(/^the checkpoint at \d+ failed: .+/)
    await send(2)
    expect(one.node.actors.get(0)!.metrics.checkpointFailures).toBeGreaterThan(0)
    await one.close()
  })
})

describe('a checkpoint that reads back differently', () => {
  it('is told of, counts for nothing, and is never on record', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const part = await log.partition(0)
    const garbled: number[] = []
    const get: typeof part.checkpoints.get = async (seq) => {
      const bytes = await part.checkpoints.get(seq)
      if (bytes === undefined || garbled.length > 0) return bytes
      garbled.push(seq)
      return bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte))
    }
    const garbling = alteredLog(log, part, { checkpoints: { ...part.checkpoints, get } })
    const troubles: string[] = []
    const one = await startTestNode(garbling, 'one', {
      checkpoints: { bytesMin: 10_000, ageMs: 1e9 },
      onTrouble: (_, what) => void troubles.push(what),
    })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    let sends = 0
    await waitUntil(async () => {
      const messages = [body('x'.repeat(20_000))]
      await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'p', send: ++sends, messages })
      return one.node.actors.get(0)!.metrics.checkpoints > 0
    })
    expect(troubles).toEqual([expect.stringContaining('reads back differently')])
    expect(one.node.actors.get(0)!.metrics.checkpointFailures).toBe(1)
    const named = await checkpointed(part)
    expect(named).not.toContain(garbled[0])
    await one.close()
  })
})

describe('a checkpoint that outlasts the ownership which made it', () => {
  /** A node whose first checkpoint waits for an answer, and that has begun a new ownership meanwhile. */
  const given = async (held: 'how it reads back' | 'how large the log is') => {
    const log = createMemoryLog({ partitions: 1 })
    const part = await log.partition(0)
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    let gets = 0
    let isAsked = false
    const get: typeof part.checkpoints.get = async (seq) => {
      const isFirst = ++gets === 1
      if (isFirst && held === 'how it reads back') await answered
      isAsked = isFirst && held === 'how large the log is'
      return part.checkpoints.get(seq)
    }
    const state = async () => {
      if (isAsked) {
        isAsked = false
        await answered
      }
      return part.state()
    }
    const troubles: string[] = []
    const one = await startTestNode(
      alteredLog(log, part, { state, checkpoints: { ...part.checkpoints, get } }),
      'one',
      { checkpoints: { bytesMin: 10_000, ageMs: 1e9 }, onTrouble: (_, what) => void troubles.push(what) },
    )
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    let sends = 0
    const send = (bytes = 20_000) =>
      one.ask({
        type: 'Enqueue',
        queue: 'mail',
        producer: 'p',
        send: ++sends,
        messages: [body('x'.repeat(bytes))],
      })
    const sendUntil = (checkpoints: number) =>
      waitUntil(async () => {
        await send()
        return (await checkpointed(part)).length > checkpoints
      })
    await send()
    await waitUntil(() => gets === 1)
    log.faults.onAppend(0, 'displaced')
    await expect(send(1)).rejects.toThrow('Unavailable')
    await waitUntil(() => one.node.actors.get(0)!.life === 'Active')
    return { part, one, answer, sendUntil, troubles }
  }

  it.each([
    ['how it reads back', 'before'],
    ['how it reads back', 'after'],
    ['how large the log is', 'before'],
    ['how large the log is', 'after'],
  ] as const)(
    'changes nothing of the next one, whose first comes (where it waits to hear %s, %s)',
    async (held, when) => {
      const { part, one, answer, sendUntil, troubles } = await given(held)
      if (when === 'after') await sendUntil(0)
      answer()
      await sendUntil(2)
      const seqs = await checkpointed(part)
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
      await waitUntil(async () => {
        const { checkpoints, checkpointSeq } = one.node.actors.get(0)!.describe()
        const standing = await part.checkpoints.list()
        return checkpointSeq === standing[0] && checkpoints!.count === standing.length
      })
      expect(troubles).toEqual([])
      await one.close()
    },
  )
})

describe('an ownership that ends', () => {
  const given = async (options: { recordBytes?: number }, isLost: (event: LogEvent) => boolean) => {
    const log = createMemoryLog({ partitions: 1, ...options })
    const part = await log.partition(0)
    let losses = 0
    const append: typeof part.append = (bytes, expected) => {
      const record = decodeRecord(bytes)
      if (losses > 0 || record.kind !== 'frame' || !record.events.some(isLost))
        return part.append(bytes, expected)
      losses++
      log.faults.onAppend(0, 'displaced')
      return part.append(bytes, expected)
    }
    const one = await startTestNode(alteredLog(log, part, { append }), 'one', {
      checkpoints: { bytesMin: 10_000, ageMs: 1e9 },
    })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    let sends = 0
    const send = async (bytes = 20_000): Promise<void> => {
      const messages = [body('x'.repeat(bytes))]
      await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'p', send: ++sends, messages })
      const { queue, sub, delivery, numbers } = (await one.ask(receive('mail', 1))).delivery!
      await one.ask({ type: 'Ack', items: [{ queue, sub, delivery, numbers }] })
    }
    const isLostNow = () => losses > 0 && one.node.actors.get(0)!.life === 'Active'
    return { log, part, one, send, isLostNow }
  }

  it('makes no checkpoint of a frame that was never stored', async () => {
    const { log, part, one, send, isLostNow } = await given({}, ({ type }) => type === 'Enqueued')
    await expect(send()).rejects.toThrow('Unavailable')
    await waitUntil(isLostNow)
    await waitUntil(async () => {
      await send(1)
      return (await checkpointed(part)).length > 0 || (await part.state()).lastSeq > 50
    })
    await one.close()
    const two = await startTestNode(log, 'two')
    expect(two.node.actors.get(0)!.life).toBe('Active')
    await two.close()
  })

  it('leaves what a trim would take that was never put on record', async () => {
    const { part, one, send, isLostNow } = await given(
      { recordBytes: 50_000 },
      ({ type }) => type === 'Trimmed',
    )
    await waitUntil(async () => {
      await send().catch(() => undefined)
      return isLostNow()
    })
    await send(1)
    const isTrimmed = (await part.state()).firstSeq > 1
    expect([isTrimmed, (await eventsOf(part)).some(({ type }) => type === 'Trimmed')]).not.toEqual([
      true,
      false,
    ])
    await one.close()
  })
})

describe('checkpoints of earlier ownerships', () => {
  const checkpoints = { bytesMin: 10_000, ageMs: 1e9 }
  const send = (one: Awaited<ReturnType<typeof startTestNode>>, send: number) =>
    one.ask({
      type: 'Enqueue',
      queue: 'mail',
      producer: 'p',
      send,
      messages: [body('x'.repeat(20_000))],
    })
  /** A log with this many checkpoints on record. */
  const given = async (count: number) => {
    const log = createMemoryLog({ partitions: 1 })
    const part = await log.partition(0)
    const one = await startTestNode(log, 'one', { checkpoints })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    let sends = 0
    await waitUntil(async () => {
      await send(one, ++sends)
      return (await checkpointed(part)).length >= count
    })
    return { log, part, one, sends }
  }

  /** The checkpoints that are on record and still there. */
  const standing = async (part: PartitionLog): Promise<number[]> => {
    const named = await checkpointed(part)
    return (await part.checkpoints.list()).filter((seq) => named.includes(seq))
  }

  it('count once each, and those that the log does not name not at all', async () => {
    const { log, part, one } = await given(3)
    await one.close()
    const [newest, ...earlier] = await standing(part)
    await part.checkpoints.put(newest! - 1, (await part.checkpoints.get(newest!))!)
    const two = await startTestNode(log, 'two')
    const count = await waitUntil(() => two.node.actors.get(0)!.describe().checkpoints?.count)
    expect(count).toBe(earlier.length + 1)
    await two.close()
  })

  it('are known as the present one finds them, whatever one before is told late', async () => {
    const { log, part, one, sends } = await given(2)
    await one.close()
    // The first look of each ownership finds where to begin, the second what came before; a checkpoint looks too while that is not known.
    const held: (() => void)[] = []
    let looks = 0
    const list = async (): Promise<number[]> => {
      const look = ++looks
      const found = await part.checkpoints.list()
      if (look === 2 || look === 5) await new Promise<void>((resolve) => held.push(resolve))
      return found
    }
    const slow = alteredLog(log, part, { checkpoints: { ...part.checkpoints, list } })
    const two = await startTestNode(slow, 'two', { checkpoints })
    const before = (await checkpointed(part)).length
    let n = sends
    await waitUntil(async () => {
      await send(two, ++n)
      return (await checkpointed(part)).length > before
    })
    log.faults.onAppend(0, 'displaced')
    await expect(two.ask({ type: 'CreateQueue', queue: 'other', config: {}, by })).rejects.toThrow()
    await waitUntil(() => held.length === 2)
    for (const letGo of held) letGo()
    const count = await waitUntil(() => two.node.actors.get(0)!.describe().checkpoints?.count)
    expect(count).toBe((await standing(part)).length)
    await two.close()
  })
})

describe('a trim that takes long', () => {
  it('lets nothing more go for the bytes that it is taking away', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 200_000 })
    const part = await log.partition(0)
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const slow = alteredLog(log, part, { trim: (upTo) => released.then(() => part.trim(upTo)) })
    const one = await startTestNode(slow, 'one', {
      checkpoints: { bytesMin: 10_000, ageMs: 1e9 },
    })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    let sends = 0
    const live = async (): Promise<void> => {
      const messages = [body('x'.repeat(20_000))]
      await one.ask({ type: 'Enqueue', queue: 'mail', producer: 'p', send: ++sends, messages })
      const { queue, delivery, numbers } = (await one.ask(receive('mail', 1))).delivery!
      await one.ask({ type: 'Ack', items: [{ queue, sub: 0, delivery, numbers }] })
    }
    const trims = async (): Promise<number> =>
      (await eventsOf(part)).filter(({ type }) => type === 'Trimmed').length
    await waitUntil(async () => {
      await live()
      return (await trims()) === 1
    })
    const { metrics } = one.node.actors.get(0)!
    const before = metrics.checkpoints
    while (metrics.checkpoints < before + 2) await live()
    await one.ask({ type: 'CreateQueue', queue: 'other', config: {}, by })
    expect(await trims()).toBe(1)
    release()
    await waitUntil(async () => (await part.state()).firstSeq > 1)
    await one.close()
  })
})
