import { createMemoryLog, type KeyStore, type MemoryLog } from '@kiroku/log'
import type { Answers, QueueConfig } from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { CrashingLog } from '../testing/CrashingLog.ts'
import {
  by,
  secret,
  send,
  start,
  withQueue,
  type One,
  texts,
  erase,
  recordOf,
  keysOf,
} from '../testing/erasableQueue.ts'
import { receive, startTestNode, text } from '../testing/startTestNode.ts'

describe('an erasure', () => {
  const open = (log: MemoryLog) => log.keys.stored.length

  it('is finished by the next owner when its own dies between the record and the key', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const crashing = new CrashingLog(log)
    const one = await withQueue(crashing, { erasable: 'message' })
    const { queue } = await one.ask(send(['a', 'b']))
    const before = keysOf(log)
    log.keys.isDown = true
    void one.node.request(0, [{ type: 'Erase', queue: 'mail', by, message: { queue, number: 1 } }])
    await waitUntil(async () => (await recordOf(log)).events.some(({ type }) => type === 'Erased'))
    crashing.kill()
    log.keys.isDown = false
    expect(keysOf(log)).toEqual(before)
    const two = await start(log, 'two')
    await waitUntil(async () => (await recordOf(log)).events.some(({ type }) => type === 'KeysDeleted'))
    expect([...before].filter((value) => !keysOf(log).has(value))).toHaveLength(1)
    expect(open(log)).toBe(before.size)
    expect(await texts(two)).toEqual(['b'])
    await two.close()
  })

  it('lets nobody have what it erased from an owner who asked for the key before', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message' })
    const { queue } = await one.ask(send(['a']))
    await one.close()
    // The next owner has to look for the key; the first answer of the store is long on its way.
    let isAsked = false
    let arrive = (): void => {}
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    const keys: KeyStore = {
      keptMs: log.keys.keptMs,
      put: (name, value, revision) => log.keys.put(name, value, revision),
      scrub: (name) => log.keys.scrub(name),
      get: async (name) => {
        const found = await log.keys.get(name)
        if (isAsked) return found
        isAsked = true
        await arrived
        return found
      },
    }
    const two = await startTestNode({ ...log, keys }, 'two')
    const got = texts(two)
    await waitUntil(() => isAsked)
    expect(await erase(two, { message: { queue, number: 1 } })).toMatchObject({ discarded: 1 })
    arrive()
    expect(await got).toEqual([])
    await two.close()
  })

  it('lets nobody have what it erased from a request that still waits for other answers', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message' })
    await one.ask({ type: 'CreateQueue', queue: 'later', config: { erasable: 'message' }, by })
    const { queue } = await one.ask(send(['a', 'b']))
    const reply = one.node.request(0, [receive('mail'), receive('later', 10, 60_000)])
    const inflight = () => one.ask({ type: 'DescribeQueue', queue: 'mail' })
    await waitUntil(async () => (await inflight()).counts.inflight === 2)
    expect(await erase(one, { message: { queue, number: 1 } })).toMatchObject({ discarded: 1 })
    await one.ask(send(['c'], { queue: 'later' }))
    const got = (await reply).answers.map(({ ok }) => (ok as Answers['Receive']).delivery!.messages.map(text))
    expect(got).toEqual([['b'], ['c']])
    await one.close()
  })

  it('is repeated until the keys can be reached, and answered then', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message' })
    const { queue } = await one.ask(send(['a']))
    log.keys.isDown = true
    const erased = erase(one, { message: { queue, number: 1 } })
    await waitUntil(() => one.node.actors.get(0)!.state.erasures.length === 1)
    expect(await texts(one)).toEqual([])
    log.keys.isDown = false
    expect(await erased).toMatchObject({ discarded: 1 })
    await one.close()
  })
})

describe('an erasure that is not stored', () => {
  it('deletes no key, also when the frame ahead of it is', async () => {
    const time = new ManualTime()
    const log = createMemoryLog(
      { partitions: 1 },
      {
        now: () => 1_700_000_000_000 + time.now(),
        schedule: (ms, run) => (ms === 0 ? queueMicrotask(run) : void time.after(ms, run)),
      },
    )
    const one = await startTestNode(log, 'one', { time })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: { erasable: 'message' }, by })
    const { queue } = await one.ask(send(['a']))
    const before = keysOf(log)
    log.faults.slow(100)
    log.faults.onAppend(0, 'none', 'full')
    const ahead = one.ask({ type: 'CreateQueue', queue: 'other', config: {}, by })
    await time.advance(50)
    const erased = one.node.request(0, [{ type: 'Erase', queue: 'mail', by, message: { queue, number: 1 } }])
    await time.advance(50)
    expect(await ahead).toMatchObject({ created: true })
    expect(one.node.actors.get(0)!.state.erasures).toHaveLength(1)
    expect(keysOf(log)).toEqual(before)
    log.faults.slow(0)
    await time.advance(50)
    expect((await erased).answers[0]!.error?.id).toBe('StorageFull')
    expect(keysOf(log)).toEqual(before)
    expect(await texts(one)).toEqual(['a'])
    await one.close()
  })

  it('ends no message whose delivery was being opened when it was decided', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message', leaseMs: 200 })
    const { queue } = await one.ask(send(['a']))
    await one.close()
    // The next owner has to look for the key, and does not find it at once.
    let isAsked = false
    let find = (): void => {}
    const found = new Promise<void>((resolve) => (find = resolve))
    const keys: KeyStore = {
      keptMs: log.keys.keptMs,
      put: (name, value, revision) => log.keys.put(name, value, revision),
      scrub: (name) => log.keys.scrub(name),
      get: async (name) => {
        isAsked = true
        await found
        return log.keys.get(name)
      },
    }
    const two = await startTestNode({ ...log, keys }, 'two')
    const first = texts(two)
    await waitUntil(() => isAsked)
    log.faults.slow(100)
    log.faults.onAppend(0, 'full')
    const erased = erase(two, { message: { queue, number: 1 } })
    await waitUntil(() => two.node.actors.get(0)!.life === 'Fencing')
    expect(two.node.actors.get(0)!.state.erasures).toHaveLength(1)
    find()
    await expect(erased).rejects.toThrow('StorageFull')
    log.faults.slow(0)
    expect(await first).toEqual([])
    await waitUntil(async () => (await texts(two))[0] === 'a')
    await two.close()
  })
})

describe('what leaves an erasable queue', () => {
  const deadLetterAll = async (one: One, queue = 'mail') => {
    const { delivery } = await one.ask(receive(queue, 100))
    const { messages: _, ...item } = delivery!
    await one.ask({ type: 'DeadLetter', items: [{ ...item, sub: delivery!.sub }], error: 'no' })
  }
  const given = async (dead: Partial<QueueConfig>, log = createMemoryLog({ partitions: 1 })) => {
    const one = await start(log)
    const { queue } = await one.ask({ type: 'CreateQueue', queue: 'dead', config: dead, by })
    const deadLetter = { partition: 0, queue, name: 'dead' }
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: { erasable: 'message', deadLetter }, by })
    const sent = await one.ask(send([secret, 'b']))
    await deadLetterAll(one)
    await waitUntil(async () => {
      const { counts } = await one.ask({ type: 'DescribeQueue', queue: 'dead' })
      return counts.available === 2
    })
    return { log, one, mail: sent.queue }
  }

  for (const dead of [{}, { erasable: 'message' }, { erasable: 'group', groups: 'fair' }] as const)
    it(`stays encrypted on its way, and is erased there with the original: ${JSON.stringify(dead)}`, async () => {
      const { log, one, mail } = await given(dead)
      expect((await recordOf(log)).holds(secret)).toBe(false)
      await erase(one, { message: { queue: mail, number: 1 } })
      expect(await texts(one, 'dead')).toEqual(['b'])
      await waitUntil(async () => {
        const { counts } = await one.ask({ type: 'DescribeQueue', queue: 'dead' })
        return counts.discarded === 1
      })
      expect((await recordOf(log)).events.findLast((e) => e.type === 'Discarded')).toMatchObject({
        reason: 'erased',
        numbers: [1, 1],
      })
      await one.close()
    })

  it('comes back by a redrive, and is erased there by its first id and by its new one', async () => {
    const { one, mail } = await given({ erasable: 'message' })
    await one.ask({ type: 'StartRedrive', queue: 'dead', request: 'r', to: 'origin', by })
    await waitUntil(async () => {
      const { counts } = await one.ask({ type: 'DescribeQueue', queue: 'mail' })
      return counts.available === 2
    })
    await erase(one, { message: { queue: mail, number: 1 } })
    await erase(one, { message: { queue: mail, number: 4 } })
    expect(await texts(one)).toEqual([])
    await one.close()
  })
})
