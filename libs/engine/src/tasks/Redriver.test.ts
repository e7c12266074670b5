import { createMemoryLog } from '@kiroku/log'
import {
  type Answers,
  type Command,
  type CommandOf,
  defaultQueueConfig,
  encodeEnvelope,
  type EnvelopeMeta,
  KirokuError,
  partitionOf,
  type Reply,
} from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { body, by, startTestNode } from '../testing/startTestNode.ts'

/** A queue on partition 1 of two. */
const name = ['a', 'b', 'c', 'd'].find((each) => partitionOf(each, 2) === 1)!
const target = { partition: 1, queue: 7, name }

type Elsewhere = (command: Command) => Answers[keyof Answers] | Error

/** A node with a queue that has messages, and the other partition as the test plays it. */
const given = async (elsewhere: Elsewhere, messages: readonly Uint8Array[]) => {
  const log = createMemoryLog({ partitions: 2 })
  const asked: Command[] = []
  const remote = (_partition: number, commands: readonly Command[]): Promise<Reply> => {
    asked.push(...commands)
    const ok = elsewhere(commands[0]!)
    return ok instanceof Error ? Promise.reject(ok) : Promise.resolve({ epoch: 1, seq: 1, answers: [{ ok }] })
  }
  const one = await startTestNode(log, 'one', { remote })
  await one.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
  for (let i = 0; i < messages.length; i += 1_000)
    await one.ask({
      type: 'Enqueue',
      queue: 'dead',
      producer: 'p',
      send: i + 1,
      messages: messages.slice(i, i + 1_000),
    })
  const redrive = (options: Partial<CommandOf<'StartRedrive'>> = {}) =>
    one.ask({ type: 'StartRedrive', queue: 'dead', request: 'r', to: target, by, ...options })
  const latest = async () => (await one.ask({ type: 'DescribeRedrives', queue: 'dead' })).redrives[0]!
  return { log, one, asked, redrive, latest, remote }
}

const described = {
  ...target,
  config: defaultQueueConfig,
  subscriptions: [{ name: 'main' }],
} as unknown as Answers['DescribeQueue']
const unavailable = new KirokuError('Unavailable', 'nobody there')
const stored = (command: Command): Answers['Forward'] => {
  const { forward, messages } = command as CommandOf<'Forward'>
  return { outcome: 'stored', upTo: forward + messages.length }
}
const lineage = { messageId: 'x', queue: name, attempts: 1, cause: 'retry', error: 'no', enqueuedAt: 1 }
const letter = (meta: EnvelopeMeta = { lineage }): Uint8Array => encodeEnvelope(new Uint8Array(10), meta)

describe('the redriver', () => {
  it('waits while the target cannot be found, and then goes on', async () => {
    let isThere = false
    const { one, redrive, latest } = await given(
      (c) => (!isThere ? unavailable : c.type === 'Forward' ? stored(c) : described),
      [letter(), letter()],
    )
    await redrive({ to: 'origin' })
    await waitUntil(async () => (await latest()).left === 2)
    isThere = true
    await waitUntil(async () => (await latest()).state === 'completed')
    expect(await latest()).toMatchObject({ moved: 2, targets: [{ queue: name, moved: 2 }] })
    await one.close()
  })

  it('fills the outbox only so far while the target does not take anything', async () => {
    let isOpen = false
    const total = limits.redriveOutboxMax + 2 * limits.redriveMessages
    const { one, redrive, latest } = await given(
      (c) => (c.type !== 'Forward' ? described : isOpen ? stored(c) : unavailable),
      Array.from({ length: total }, () => body('x')),
    )
    await redrive()
    await waitUntil(async () => (await latest()).onTheWay! >= limits.redriveOutboxMax)
    expect(await latest()).toMatchObject({ state: 'running', moved: 0 })
    const { outbox } = await one.ask({ type: 'DescribePartition' })
    expect(outbox).toBeLessThan(limits.redriveOutboxMax + limits.redriveMessages)
    isOpen = true
    await waitUntil(async () => (await latest()).state === 'completed')
    expect((await latest()).moved).toBe(total)
    await one.close()
  })

  it('is done when what it moved has arrived, and not before', async () => {
    let isOpen = false
    const { one, redrive, latest } = await given(
      (c) => (c.type !== 'Forward' ? described : isOpen ? stored(c) : unavailable),
      [letter(), letter(), letter()],
    )
    await redrive({ messagesMax: 2 })
    await waitUntil(async () => (await latest()).onTheWay === 2)
    expect(await latest()).toMatchObject({ state: 'running', moved: 0 })
    isOpen = true
    await waitUntil(async () => (await latest()).state === 'completed')
    expect(await latest()).toMatchObject({ moved: 2, onTheWay: 0, left: 1, note: '' })
    await one.close()
  })

  it('counts nothing that cannot arrive, ends without it, and counts it when it does', async () => {
    const heir: { again?: number } = {}
    const gone = (c: Command): Answers['Forward'] =>
      (c as CommandOf<'Forward'>).target === target.queue
        ? { outcome: 'targetGone', upTo: 3, stored: 1, ...heir }
        : stored(c)
    const { one, redrive, latest } = await given(
      (c) => (c.type === 'Forward' ? gone(c) : described),
      [letter(), letter()],
    )
    await redrive({ to: 'origin' })
    await waitUntil(async () => (await latest()).state === 'completed')
    expect(await latest()).toMatchObject({
      moved: 0,
      onTheWay: 2,
      targets: [{ queue: name, moved: 0 }],
      note: expect.stringContaining(`2 of its messages wait to go to queue "${name}", which was deleted`),
    })
    heir.again = 8
    await waitUntil(async () => (await latest()).moved === 2)
    expect(await latest()).toMatchObject({ onTheWay: 0, targets: [{ queue: name, moved: 2 }] })
    await one.close()
  })

  it('looks for a target once for many messages', async () => {
    const { one, asked, redrive, latest } = await given(
      (c) => (c.type === 'Forward' ? stored(c) : described),
      Array.from({ length: 400 }, () => letter()),
    )
    await redrive({ to: 'origin' })
    await waitUntil(async () => (await latest()).state === 'completed')
    expect(asked.filter((c) => c.type === 'DescribeQueue')).toHaveLength(1)
    await one.close()
  })

  it('leaves alone what has strange things beside its body', async () => {
    const strange = [null, 5, { queue: 7 }, { ...lineage, queue: null, error: 3 }].map((l) =>
      letter({ lineage: l, attributes: null, tag: [] } as unknown as EnvelopeMeta),
    )
    const { one, redrive, latest } = await given(
      (c) => (c.type === 'Forward' ? stored(c) : described),
      [...strange, letter()],
    )
    for (const filter of [{ error: 'x' }, { cause: 'x' }, { tag: 'x' }, { attributes: { a: 'b' } }]) {
      await redrive({ to: 'origin', filter, request: JSON.stringify(filter) })
      await waitUntil(async () => (await latest()).state === 'completed')
      expect(await latest()).toMatchObject({ moved: 0, filtered: 5 })
    }
    await redrive({ to: 'origin', request: 'all' })
    await waitUntil(async () => (await latest()).state === 'completed')
    expect(await latest()).toMatchObject({ moved: 1, skipped: { noOrigin: 4 } })
    await one.close()
  })

  it('does not hold up a hand-over, and the next owner goes on', async () => {
    const { log, one, redrive, remote } = await given(
      (c) => (c.type === 'Forward' ? stored(c) : described),
      Array.from({ length: 20 }, () => body('x')),
    )
    await redrive({ rateMax: 1 })
    await one.close()
    const two = await startTestNode(log, 'two', { remote })
    const latest = async () => (await two.ask({ type: 'DescribeRedrives', queue: 'dead' })).redrives[0]!
    expect(await latest()).toMatchObject({ task: 1, state: 'running' })
    await two.ask({ type: 'CancelRedrive', queue: 'dead', by })
    expect(await latest()).toMatchObject({ state: 'cancelled' })
    await two.close()
  })

  it('closes the partition when the body of a message is gone', async () => {
    const elsewhere: Elsewhere = (c) => (c.type === 'Forward' ? stored(c) : described)
    const { log, one, remote } = await given(elsewhere, [letter()])
    const { lastSeq } = await (await log.partition(0)).state()
    await one.close()
    // Read by the replay, and gone when the redrive wants it.
    const onState = (_: number, state: string): void => {
      if (state === 'Active') log.faults.loseRecord(0, lastSeq)
    }
    const two = await startTestNode(log, 'two', { remote, onState })
    await two.ask({ type: 'StartRedrive', queue: 'dead', request: 'r', to: 'origin', by })
    await waitUntil(() => two.node.actors.get(0)!.life === 'Quarantined')
    await two.close()
  })
})
