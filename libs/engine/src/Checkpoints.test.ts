import { describe, expect, it } from 'vitest'
import { createMemoryLog, type MemoryLog } from '@kiroku/log'
import { waitUntil } from '@kiroku/testkit'
import { body, by, receive, startTestNode } from './startTestNode.ts'

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
