import { describe, expect, it } from 'vitest'
import { KirokuError } from '@kiroku/message'
import { createMemoryLog } from '@kiroku/log'
import type { Command, CommandOf, Reply } from '@kiroku/partition'
import { waitUntil } from '@kiroku/testkit'
import { body, by, receive, startTestNode, text } from './startTestNode.ts'

const send = (n: number, ...bodies: string[]): Extract<Command, { type: 'Enqueue' }> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: 'p',
  send: n,
  messages: bodies.map(body),
})

/** A node with a queue whose messages are dead letters after one failure, in queue `dead` of `partition`. */
const withDeadLetters = async (
  recordBytesMax: number,
  partition: number,
  remote?: (to: number, commands: readonly Command[]) => Promise<Reply>,
) => {
  const log = createMemoryLog({ partitions: 2 }, { recordBytesMax })
  const one = await startTestNode(log, 'one', remote === undefined ? {} : { remote })
  const { queue } = await one.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
  const deadLetter = { name: 'dead', partition, queue }
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: { retriesMax: 0, deadLetter }, by })
  /** Receives everything and gives it up. */
  const fail = async (): Promise<void> => {
    const { delivery } = await one.ask({ ...receive('mail'), bytesMax: 1e9 })
    const { sub, numbers } = delivery!
    const items = [{ queue: delivery!.queue, sub, delivery: delivery!.delivery, numbers }]
    await one.ask({ type: 'Retry', items, error: '\u0000'.repeat(1_000) })
  }
  return { log, one, fail }
}

describe('dead letters', () => {
  it('arrive also when the body is the largest that the log takes', async () => {
    const recordBytesMax = 600_000
    const { one, fail } = await withDeadLetters(recordBytesMax, 0)
    const largest = 'x'.repeat(recordBytesMax - 64 * 1024 - 1)
    await one.ask(send(1, largest))
    expect((await one.node.request(0, [send(2, `${largest}x`)])).answers[0]!.error?.id).toBe('BodyTooLarge')
    await fail()
    const { delivery } = await one.ask({ ...receive('dead', 1, 5_000), bytesMax: 1e9 })
    expect(text(delivery!.messages[0]!)).toHaveLength(largest.length)
    await one.close()
  })

  it('travel in requests that fit into what the log takes as a record', async () => {
    const recordBytesMax = 1_000_000
    const forwards: CommandOf<'Forward'>[] = []
    const remote = (_to: number, [command]: readonly Command[]): Promise<Reply> => {
      const forward = command as CommandOf<'Forward'>
      forwards.push(forward)
      const upTo = forward.forward + forward.messages.length
      return Promise.resolve({ epoch: 1, seq: 1, answers: [{ ok: { outcome: 'stored', upTo } }] })
    }
    const { one, fail } = await withDeadLetters(recordBytesMax, 1, remote)
    await one.ask(send(1, ...Array.from({ length: 6 }, () => 'x'.repeat(300_000))))
    await fail()
    await waitUntil(() => forwards.flatMap((f) => f.messages).length === 6)
    for (const { messages } of forwards)
      expect(messages.reduce((sum, m) => sum + m.length, 0)).toBeLessThan(recordBytesMax)
    await one.close()
  })

  it('whose body is gone close the partition instead of being tried for ever', async () => {
    const refuse = () => Promise.reject(new KirokuError('Unavailable', 'nobody there'))
    const { log, one, fail } = await withDeadLetters(1_000_000, 1, refuse)
    await one.ask(send(1, 'x'))
    const { lastSeq } = await (await log.partition(0)).state()
    await fail()
    await one.close()
    // Read by the replay, and gone when the forwarder wants it.
    const onState = (_: number, state: string): void => {
      if (state === 'Active') log.faults.loseRecord(0, lastSeq)
    }
    const two = await startTestNode(log, 'two', { remote: refuse, onState })
    await waitUntil(() => two.node.actors.get(0)!.life === 'Quarantined')
    await two.close()
  })
})
