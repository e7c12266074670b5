import { createMemoryLog } from '@kiroku/log'
import {
  type Answer,
  type Command,
  type CommandOf,
  decodeEnvelope,
  KirokuError,
  type Reply,
} from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import type { NodeOptions } from '../Node.ts'
import { body, by, receive, startTestNode } from '../testing/startTestNode.ts'

/**
 * A node whose messages are dead letters after one failure, in a queue of another partition that says what the test has
 * it say. What it tries again it tries when the test lets time pass.
 */
const given = async (options: Partial<NodeOptions> = {}) => {
  const time = new ManualTime()
  const log = createMemoryLog({ partitions: 2 }, { now: () => time.wallMs() })
  const asked: (CommandOf<'Forward'> | CommandOf<'ForgetLanes'>)[] = []
  const target = { isDown: false }
  const remote = (_to: number, [command]: readonly Command[]): Promise<Reply> => {
    const known = command as (typeof asked)[number]
    asked.push(known)
    const answer = (one: Answer): Promise<Reply> => Promise.resolve({ epoch: 1, seq: 1, answers: [one] })
    if (target.isDown) return answer({ error: new KirokuError('Unavailable', 'down').toWire() })
    if (known.type === 'ForgetLanes') return answer({ ok: {} })
    return answer({ ok: { outcome: 'stored', upTo: known.forward + known.messages.length } })
  }
  const one = await startTestNode(log, 'one', { remote, time, ...options })
  const actor = one.node.actors.get(0)!
  const deadLetter = { name: 'dead', partition: 1, queue: 1 }
  const create = async (queue: string) =>
    (await one.ask({ type: 'CreateQueue', queue, config: { retriesMax: 0, deadLetter }, by })).queue
  let sends = 0
  /** Receives two messages, each of which is given up by a command. */
  const taken = async (queue: string): Promise<Command[]> => {
    const messages = [body('1'), body('2')]
    await one.ask({ type: 'Enqueue', queue, producer: 'p', send: ++sends, messages })
    const { numbers, ...item } = (await one.ask(receive(queue, 2))).delivery!
    const [first, count] = numbers as [number, number]
    return Array.from({ length: count }, (_, i) => ({
      type: 'Retry',
      items: [{ queue: item.queue, sub: item.sub, delivery: item.delivery, numbers: [first + i, 1] }],
    }))
  }
  /** Asks for what is decided, is not stored, and ends the ownership. */
  const lose = async (command: Command): Promise<void> => {
    const { epoch } = actor
    log.faults.onAppend(0, 'displaced')
    const { answers } = await one.node.request(0, [command])
    expect(answers[0]!.error?.id).toBe('Unavailable')
    await waitUntil(() => actor.life === 'Active' && actor.epoch > epoch)
  }
  const ask = async (command: Command): Promise<void> => {
    expect((await one.node.request(0, [command])).answers[0]!.error).toBeUndefined()
  }
  return { ...one, log, remote, actor, time, asked, target, create, taken, lose, ask }
}

describe('an ownership that has ended', () => {
  it('forwards nothing any more, of which some never came to be', async () => {
    const { actor, time, asked, target, create, taken, lose, ask, close } = await given()
    await create('mail')
    const [first, second] = await taken('mail')
    target.isDown = true
    await ask(first!)
    await waitUntil(() => asked.length > 0)
    await lose(second!)
    await time.advance(limits.forwardBackoffMsMax)
    target.isDown = false
    await time.advance(limits.forwardBackoffMsMax)
    expect([...actor.state.outbox.values()].flatMap(({ entries }) => entries)).toEqual([])
    expect(asked.map((c) => (c.type === 'Forward' ? [c.forward, c.messages.length] : c))).toEqual(
      asked.map(() => [1, 1]),
    )
    await close()
  })

  it('has no lane forgotten any more that was never closed, and leaves it to the next to tell of the others', async () => {
    const { actor, time, asked, target, create, taken, lose, ask, close } = await given()
    const queues = [await create('post'), await create('mail')]
    for (const queue of ['post', 'mail']) for (const command of await taken(queue)) await ask(command)
    await waitUntil(() => [...actor.state.outbox.values()].every(({ entries }) => entries.length === 0))
    target.isDown = true
    await ask({ type: 'DeleteQueue', queue: 'post', by })
    await waitUntil(() => asked.some(({ type }) => type === 'ForgetLanes'))
    await lose({ type: 'DeleteQueue', queue: 'mail', by })
    await time.advance(limits.forwardBackoffMsMax)
    target.isDown = false
    await time.advance(limits.forwardBackoffMsMax)
    expect(actor.state.closedLanes).toEqual([])
    const forgotten = asked.filter((c) => c.type === 'ForgetLanes').map(({ lanes }) => lanes)
    expect(forgotten).toEqual(forgotten.map(() => [queues[0], 1]))
    await close()
  })
})

it('a letter that waits tells when it was first delivered after a change of owner, which loads a checkpoint, as well', async () => {
  const checkpoints = { bytesMin: 1e9, ageMs: 1e9, replayMsMax: 0 }
  const { log, remote, time, asked, target, create, taken, ask, close } = await given({ checkpoints })
  await create('mail')
  target.isDown = true
  const [first] = await taken('mail')
  const deliveredAt = time.wallMs()
  await time.advance(1_000)
  await ask(first!)
  await close()
  expect(await (await log.partition(0)).checkpoints.list()).not.toEqual([])
  asked.length = 0
  target.isDown = false
  const two = await startTestNode(log, 'two', { remote, time })
  await waitUntil(() => asked.length > 0)
  const [forward] = asked.flatMap((c) => (c.type === 'Forward' ? c.messages : []))
  expect(decodeEnvelope(forward!).meta.lineage?.deliveredAt).toBe(deliveredAt)
  await two.close()
})
