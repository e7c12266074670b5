import { createMemoryLog, decodeRecord, encodeBodyRecord } from '@kiroku/log'
import { snapshot, stateHash } from '@kiroku/partition'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { load } from '../checkpoint/load.ts'
import { limits } from '../limits.ts'
import { body, by, receive, startTestNode } from '../testing/startTestNode.ts'

const send = (n: number) =>
  ({ type: 'Enqueue', queue: 'mail', producer: 'p', send: n, messages: [body(`m${n}`)] }) as const

/** A node on a log whose answers take the time that a test lets pass, with one queue. */
const given = async () => {
  const time = new ManualTime()
  const schedule = (ms: number, run: () => void): void =>
    ms === 0 ? queueMicrotask(run) : void time.after(ms, run)
  const log = createMemoryLog({ partitions: 1 }, { now: () => time.wallMs(), schedule })
  const lives: string[] = []
  const one = await startTestNode(log, 'one', { time, onState: (_, life) => void lives.push(life) })
  const { queue } = await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  lives.length = 0
  const actor = one.node.actors.get(0)!
  /** Sends in frames of their own, as many as may be under way. */
  const sendApart = async (from: number, to: number) => {
    log.faults.slow(10)
    const replies = []
    for (let n = from; n <= to; n++) {
      replies.push(one.node.request(0, [send(n)]))
      await time.advance(limits.gatherMsMax)
    }
    log.faults.slow(0)
    return replies
  }
  /** The bodies' order and the epochs of what is stored, and that a replay gives the state there is. */
  const stored = async () => {
    const part = await log.partition(0)
    const epochs = new Set<number>()
    const sends: number[] = []
    for await (const { data } of part.read(1)) {
      const record = decodeRecord(data)
      epochs.add(record.epoch)
      if (record.kind !== 'frame') continue
      for (const e of record.events) if (e.type === 'Enqueued') sends.push(e.send)
    }
    const loaded = await load(part, (await part.state()).lastSeq)
    expect(stateHash(snapshot(loaded.state))).toBe(stateHash(snapshot(actor.state)))
    return { epochs: [...epochs], sends }
  }
  const active = async () => {
    await time.advance(5_000)
    await waitUntil(() => actor.life === 'Active')
  }
  return { ...one, time, log, queue, actor, lives, sendApart, stored, active }
}

describe('an owner whose append has no answer', () => {
  it.each([
    ['was lost', ['requestLost']],
    ['was stored', ['answerLost']],
    ['is still under way', ['late']],
    ['was stored, and the one behind it was lost', ['answerLost', 'requestLost']],
    ['was stored, and the one behind it is still under way', ['answerLost', 'late']],
  ] as const)('keeps its state and answers every sender, where the append %s', async (_, faults) => {
    const { log, lives, actor, sendApart, stored, active, time, close } = await given()
    const { epoch } = actor
    log.faults.onAppend(0, ...faults)
    const replies = await sendApart(1, limits.appendsInFlight)
    await active()
    for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error).toBeUndefined()
    expect(lives).toEqual(['Confirming', 'Active'])
    expect(actor.epoch).toBe(epoch)
    // What arrives late finds its place taken by the same record.
    expect(log.faults.land(0)).toBe(0)
    await time.settle()
    expect(await stored()).toEqual({ epochs: [epoch], sends: [1, 2, 3, 4] })
    await close()
  })

  it('confirms a repeat whose first append lands before it', async () => {
    const { log, sendApart, stored, active, time, close } = await given()
    log.faults.onAppend(0, 'late')
    const replies = await sendApart(1, 2)
    log.faults.slow(10)
    await time.advance(10)
    expect(log.faults.land(0)).toBeGreaterThan(0)
    log.faults.slow(0)
    await active()
    for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error).toBeUndefined()
    expect((await stored()).sends).toEqual([1, 2])
    await close()
  })

  it('takes what comes meanwhile, and stores it in the order in which it came', async () => {
    const { log, node, actor, sendApart, stored, active, time, close } = await given()
    log.faults.down(true)
    const replies = await sendApart(1, limits.appendsInFlight)
    await time.advance(3_000)
    expect(actor.life).toBe('Confirming')
    for (let n = 5; n <= 8; n++) replies.push(node.request(0, [send(n)]))
    await time.settle()
    log.faults.down(false)
    await active()
    for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error).toBeUndefined()
    expect((await stored()).sends).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    await close()
  })

  it('refuses sends once that lasts, which are not stored then, and takes them again afterwards', async () => {
    const { log, actor, ask, node, sendApart, stored, active, time, close } = await given()
    log.faults.down(true)
    const replies = await sendApart(1, 2)
    await time.advance(limits.unconfirmedSendsMsMax)
    expect(actor.life).toBe('Confirming')
    const { answers } = await node.request(0, [send(8)])
    expect(answers[0]!.error).toMatchObject({
      id: 'Unavailable',
      message: expect.stringMatching(/^partition 0 has stored nothing for 5 s: /) as string,
    })
    log.faults.down(false)
    await active()
    await Promise.all(replies)
    await ask(send(9))
    expect((await stored()).sends).toEqual([1, 2, 9])
    await close()
  })

  it('lengthens leases by the time in which nothing could be stored', async () => {
    const { log, ask, actor, sendApart, active, stored, time, close } = await given()
    await ask(send(1))
    const { delivery } = await ask({ ...receive('mail', 1), leaseMs: 10_000 })
    log.faults.down(true)
    const replies = await sendApart(2, 2)
    await time.advance(60_000)
    log.faults.down(false)
    await active()
    await Promise.all(replies)
    expect(actor.state.queues.get(delivery!.queue)!.subs[0]!.inflight).toBe(1)
    await time.advance(4_000)
    await stored()
    const { numbers, queue } = delivery!
    expect(
      await ask({ type: 'Ack', items: [{ queue, sub: 0, delivery: delivery!.delivery, numbers }] }),
    ).toEqual({
      refused: [],
    })
    await close()
  })

  it('ends where another node took the partition over meanwhile, and confirms nothing', async () => {
    const { log, actor, sendApart, time, close } = await given()
    log.faults.onAppend(0, 'late')
    const replies = await sendApart(1, 3)
    const two = await startTestNode(log, 'two', { time })
    await time.advance(5_000)
    await waitUntil(() => actor.life === 'Fenced')
    for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error?.id).toBe('NotOwner')
    expect(log.faults.land(0)).toBe(0)
    expect((await two.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.sent).toBe(0)
    await two.close()
    await close()
  })

  it('fences and replays where a foreign record took the place of the append', async () => {
    const { log, lives, actor, sendApart, active, close } = await given()
    const { epoch } = actor
    log.faults.write(
      0,
      encodeBodyRecord({ epoch: 99, body: new Uint8Array(3) }, new Uint8Array(32)).bytes.slice(1),
    )
    const replies = await sendApart(1, 2)
    await active()
    for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error?.id).toBe('Unavailable')
    expect(lives).toEqual(['Confirming', 'Fencing', 'Recovering', 'Active'])
    expect(actor.epoch).toBeGreaterThan(epoch)
    await close()
  })

  it('lets go of the partition when it is told to while it waits for the log', async () => {
    const { log, actor, sendApart, time, close } = await given()
    log.faults.down(true)
    const replies = await sendApart(1, 2)
    await time.advance(1_000)
    await close()
    expect(actor.life).toBe('Released')
    for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error?.id).toBe('NotOwner')
    log.faults.down(false)
    await time.advance(5_000)
    expect((await (await log.partition(0)).state()).lastSeq).toBe(actor.describe().lastSeq)
  })
})
