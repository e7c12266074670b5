import { setImmediate as nextTick } from 'node:timers/promises'
import { createMemoryLog } from '@kiroku/log'
import { type Command, type CommandOf, KirokuError, type Reply } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { acceptLostEnd, body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'

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

/** Resolves in the turn that decides on a letter, while its frame is in flight. */
const untilInOutbox = async ({ node }: Awaited<ReturnType<typeof startTestNode>>): Promise<void> => {
  const { outbox } = node.actors.get(0)!.state
  while ([...outbox.values()].every(({ entries }) => entries.length === 0)) await nextTick()
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

  it('travel fewer at once where together they are more than the target takes', async () => {
    const taken: number[] = []
    const remote = (_to: number, [command]: readonly Command[]): Promise<Reply> => {
      const { forward, messages } = command as CommandOf<'Forward'>
      if (messages.length > 2)
        return Promise.resolve({
          epoch: 1,
          seq: 1,
          answers: [{ error: new KirokuError('BodyTooLarge', 'too much at once').toWire() }],
        })
      taken.push(messages.length)
      const ok = { outcome: 'stored', upTo: forward + messages.length } as const
      return Promise.resolve({ epoch: 1, seq: 1, answers: [{ ok }] })
    }
    const { one, fail } = await withDeadLetters(1_000_000, 1, remote)
    await one.ask(send(1, ...Array.from({ length: 8 }, (_, i) => `${i}`)))
    await fail()
    await waitUntil(() => taken.reduce((sum, n) => sum + n, 0) === 8)
    await one.close()
  })

  it('arrive by their own numbers where a repair left out some between them', async () => {
    // Given letters that wait on both sides of a repair that gave up the end of the log
    const there = { isReached: false }
    const arrived: number[] = []
    const remote = (_to: number, [command]: readonly Command[]): Promise<Reply> => {
      if (!there.isReached) return Promise.reject(new KirokuError('Unavailable', 'unreachable'))
      const { forward, messages } = command as CommandOf<'Forward'>
      arrived.push(...messages.map((_, i) => forward + i))
      const upTo = forward + messages.length
      return Promise.resolve({ epoch: 1, seq: 1, answers: [{ ok: { outcome: 'stored', upTo } }] })
    }
    const { log, one, fail } = await withDeadLetters(1_000_000, 1, remote)
    await one.ask(send(1, 'a', 'b'))
    await fail()
    await one.close()
    await acceptLostEnd(log)
    const two = await startTestNode(log, 'two', { remote })
    await two.ask(send(2, 'c', 'd'))
    const { delivery } = await two.ask(receive('mail'))
    const { queue, sub, numbers } = delivery!
    await two.ask({ type: 'DeadLetter', items: [{ queue, sub, delivery: delivery!.delivery, numbers }] })
    const outbox = async () => (await two.ask({ type: 'DescribePartition' })).outbox
    expect(await outbox()).toBe(4)

    // When their target is reached again
    there.isReached = true
    await waitUntil(async () => (await outbox()) === 0)

    // Then each arrives once, under its own number
    expect(arrived).toEqual([1, 2, 1_003, 1_004])
    await two.close()
  })

  it('leave once the frame that says so is stored, also behind one whose frame was stored before', async () => {
    const forwarded: number[] = []
    const remote = (_to: number, [command]: readonly Command[]): Promise<Reply> => {
      const { forward, messages } = command as CommandOf<'Forward'>
      const upTo = forward + messages.length
      forwarded.push(upTo)
      return Promise.resolve({ epoch: 1, seq: 1, answers: [{ ok: { outcome: 'stored', upTo } }] })
    }
    const { log, one } = await withDeadLetters(1_000_000, 1, remote)
    await one.ask(send(1, 'a', 'b'))
    const { delivery } = await one.ask(receive('mail', 2))
    const { queue, sub } = delivery!
    const retry = (number: number): Command => ({
      type: 'Retry',
      items: [{ queue, sub, delivery: delivery!.delivery, numbers: [number, 1] }],
    })
    // Both frames are under way at once; the first is stored, and the second is not.
    log.faults.slow(20)
    log.faults.onAppend(0, 'none', 'displaced')
    const first = one.node.request(0, [retry(1)])
    await untilInOutbox(one)
    const second = one.node.request(0, [retry(2)])
    expect((await first).answers[0]!.ok).toBeDefined()
    expect((await second).answers[0]!.error?.id).toBe('Unavailable')
    log.faults.slow(0)
    await waitUntil(async () => (await one.ask({ type: 'DescribePartition' })).outbox === 0)
    // The first may go twice, with one number; the second never left.
    expect([...new Set(forwarded)]).toEqual([2])
    await one.close()
  })

  it('say what new lanes begin with as it is stored, not as it is decided', async () => {
    const forwards: CommandOf<'Forward'>[] = []
    const forgotten: CommandOf<'ForgetLanes'>[] = []
    const remote = (_to: number, [command]: readonly Command[]): Promise<Reply> => {
      const answer = (ok: object) => Promise.resolve({ epoch: 1, seq: 1, answers: [{ ok }] } as Reply)
      if (command!.type === 'ForgetLanes') {
        forgotten.push(command)
        return answer({})
      }
      const forward = command as CommandOf<'Forward'>
      forwards.push(forward)
      return answer({ outcome: 'stored', upTo: forward.forward + forward.messages.length })
    }
    const { log, one, fail } = await withDeadLetters(1_000_000, 1, remote)
    const { state } = one.node.actors.get(0)!
    const deadLetter = { name: 'dead', partition: 1, queue: 1 }
    const { queue } = await one.ask({
      type: 'CreateQueue',
      queue: 'post',
      config: { retriesMax: 0, deadLetter },
      by,
    })
    await one.ask(send(1, 'x'))
    await fail()
    await waitUntil(() => [...state.outbox.values()].every(({ entries }) => entries.length === 0))
    await one.ask({ ...send(2, 'y', 'z'), queue: 'post' })
    const { delivery } = await one.ask(receive('post', 2))
    const retry = (number: number): Command => ({
      type: 'Retry',
      items: [{ queue, sub: 0, delivery: delivery!.delivery, numbers: [number, 1] }],
    })
    // The lanes of the queue that is deleted are closed in a frame that is under way when the letter leaves.
    log.faults.slow(20)
    const first = one.node.request(0, [retry(1)])
    await untilInOutbox(one)
    const deleted = one.ask({ type: 'DeleteQueue', queue: 'mail', by })
    await first
    expect(state.firstForward).toBeGreaterThan(1)
    await waitUntil(() => forwards.length === 2)
    expect(forwards[1]!.first).toBeUndefined()
    await deleted
    log.faults.slow(0)
    await one.node.request(0, [retry(2)])
    await waitUntil(() => forwards.length === 3 && state.closedLanes.length === 0)
    expect(forwards[2]!.first).toBe(state.firstForward)
    expect(forgotten).toMatchObject([{ from: 0, lanes: [2, 1], first: state.firstForward }])
    await one.close()
  })

  it('leave no number behind of a queue that is deleted, in the state and in its checkpoints', async () => {
    const { log, one, fail } = await withDeadLetters(1_000_000, 0)
    const { state } = one.node.actors.get(0)!
    const deadLetter = { name: 'dead', partition: 0, queue: 1 }
    for (let n = 1; n <= 50; n++) {
      await one.ask(send(n, 'x'))
      await fail()
      const { delivery } = await one.ask(receive('dead', 1, 5_000))
      expect(delivery!.numbers).toEqual([n, 1])
      await one.ask({ type: 'DeleteQueue', queue: 'mail', by })
      await one.ask({ type: 'CreateQueue', queue: 'mail', config: { retriesMax: 0, deadLetter }, by })
    }
    await waitUntil(() => state.closedLanes.length === 0)
    expect([state.forwardsSeen.size, state.outbox.size]).toEqual([0, 0])
    await one.close()
    const two = await startTestNode(log, 'two')
    const again = two.node.actors.get(0)!.state
    expect([again.forwardsSeen.size, again.outbox.size, again.closedLanes.length]).toEqual([0, 0, 0])
    await two.close()
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

  it('arrive in the queue of that name when theirs was deleted and made again', async () => {
    const { one, fail } = await withDeadLetters(1_000_000, 0)
    await one.ask({ type: 'DeleteQueue', queue: 'dead', force: true, by })
    await one.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
    for (const n of [1, 2]) {
      await one.ask(send(n, `letter ${n}`))
      await fail()
      const { delivery } = await one.ask(receive('dead', 10, 5_000))
      expect(delivery!.messages.map(text)).toEqual([`letter ${n}`])
    }
    const { config } = await one.ask({ type: 'DescribeQueue', queue: 'mail' })
    const { queue } = await one.ask({ type: 'DescribeQueue', queue: 'dead' })
    expect(config.deadLetter).toEqual({ name: 'dead', partition: 0, queue })
    await one.close()
  })

  it('wait while their queue is gone, and arrive in their order when it is there again', async () => {
    const { one, fail } = await withDeadLetters(1_000_000, 0)
    await one.ask({ type: 'DeleteQueue', queue: 'dead', force: true, by })
    await one.ask(send(1, 'a', 'b'))
    await fail()
    const outbox = async () => (await one.ask({ type: 'DescribeQueue', queue: 'mail' })).outbox
    await waitUntil(async () => (await outbox())?.[0]?.held !== undefined)
    expect(await outbox()).toMatchObject([
      { queue: 'mail', to: 'dead', messages: 2, held: { reason: 'targetGone' } },
    ])
    await one.ask(send(2, 'c'))
    await fail()
    expect((await one.ask({ type: 'DescribePartition' })).outbox).toBe(3)
    await one.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
    const got: string[] = []
    while (got.length < 3) {
      const { delivery } = await one.ask(receive('dead', 10, 20_000))
      got.push(...delivery!.messages.map(text))
    }
    expect(got).toEqual(['a', 'b', 'c'])
    await waitUntil(async () => (await outbox()) === undefined)
    await one.close()
  })

  it('wait, and say why, while the only subscription that the next one is for is gone', async () => {
    const there = { subscription: false }
    const remote = (_to: number, [command]: readonly Command[]): Promise<Reply> => {
      if (!there.subscription) {
        const error = new KirokuError('UnknownSubscription', 'subscription "eu" is gone').toWire()
        return Promise.resolve({ epoch: 1, seq: 1, answers: [{ error }] })
      }
      const { forward, messages } = command as CommandOf<'Forward'>
      const upTo = forward + messages.length
      return Promise.resolve({ epoch: 1, seq: 1, answers: [{ ok: { outcome: 'stored', upTo } }] })
    }
    const { one, fail } = await withDeadLetters(1_000_000, 1, remote)
    await one.ask(send(1, 'a'))
    await fail()
    const outbox = async () => (await one.ask({ type: 'DescribeQueue', queue: 'mail' })).outbox
    await waitUntil(async () => (await outbox())?.[0]?.held !== undefined)
    expect(await outbox()).toMatchObject([{ messages: 1, held: { reason: 'subscriptionGone' } }])
    there.subscription = true
    await waitUntil(async () => (await outbox()) === undefined)
    await one.close()
  })

  it('go where the setting says when it changes while their queue is gone', async () => {
    const { one, fail } = await withDeadLetters(1_000_000, 0)
    await one.ask({ type: 'DeleteQueue', queue: 'dead', force: true, by })
    await one.ask(send(1, 'a'))
    await fail()
    const { queue } = await one.ask({ type: 'CreateQueue', queue: 'other', config: {}, by })
    const deadLetter = { name: 'other', partition: 0, queue }
    await one.ask({ type: 'ConfigureQueue', queue: 'mail', config: { deadLetter }, by })
    const { delivery } = await one.ask(receive('other', 10, 20_000))
    expect(delivery!.messages.map(text)).toEqual(['a'])
    await one.close()
  })

  it('still wait with the next owner, which asks for their queue again', async () => {
    const { log, one, fail } = await withDeadLetters(1_000_000, 0)
    await one.ask({ type: 'DeleteQueue', queue: 'dead', force: true, by })
    await one.ask(send(1, 'a'))
    await fail()
    await one.close()
    const two = await startTestNode(log, 'two')
    await waitUntil(async () => {
      const { held } = await two.ask({ type: 'DescribePartition' })
      return held?.[0]?.messages === 1
    })
    await two.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
    const { delivery } = await two.ask(receive('dead', 10, 20_000))
    expect(delivery!.messages.map(text)).toEqual(['a'])
    await two.close()
  })
})
