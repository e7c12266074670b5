import { createMemoryLog, groupEntry, keyIds, type KeyStore } from '@kiroku/log'
import { type Command, KirokuError } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { CrashingLog } from '../testing/CrashingLog.ts'
import {
  by,
  secret,
  letter,
  send,
  start,
  withQueue,
  texts,
  erase,
  recordOf,
  keysOf,
} from '../testing/erasableQueue.ts'
import { receive, startTestNode } from '../testing/startTestNode.ts'

describe('a queue that is erasable by message', () => {
  it('delivers what was sent, of which nothing stands in the log', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message' })
    await one.ask(send([secret, 'second'], { tags: ['red', ''] }))
    const { delivery } = await one.ask(receive('mail'))
    expect(delivery!.messages).toEqual([letter(secret), letter('second')])
    const { holds } = await recordOf(log)
    expect(holds(secret)).toBe(false)
    expect(holds('example.org')).toBe(false)
    await one.close()
  })

  it('keeps the order of sends that have to wait for keys', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message' })
    const names = Array.from({ length: 600 }, (_, i) => `m${i}`)
    const commands: Command[] = []
    for (let i = 0; i < 600; i += 30) commands.push(send(names.slice(i, i + 30)))
    const reply = await one.node.request(0, commands)
    expect(reply.answers.every((a) => a.ok !== undefined)).toBe(true)
    expect(await texts(one)).toEqual(names)
    await one.close()
  })

  it('goes on with the same keys under another owner, also after a crash', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const crashing = new CrashingLog(log)
    const one = await withQueue(crashing, { erasable: 'message' })
    await one.ask(send(['a', 'b']))
    crashing.kill()
    const two = await start(log, 'two')
    await two.ask(send(['c']))
    expect(await texts(two)).toEqual(['a', 'b', 'c'])
    await two.close()
  })

  it('stores large bodies encrypted too, in their order among small ones', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message' })
    const large = secret.repeat(10_000)
    const reply = await one.node.request(0, [send(['a']), send(['b', large, 'c']), send(['d'])])
    expect(reply.answers.every((a) => a.ok !== undefined)).toBe(true)
    expect(await texts(one)).toEqual(['a', 'b', large, 'c', 'd'])
    expect((await recordOf(log)).holds(secret)).toBe(false)
    await one.close()
  })

  it('stores no large body in plain text that comes together with the queue', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await start(log)
    const large = secret.repeat(10_000)
    const create = { type: 'CreateQueue', queue: 'mail', config: { erasable: 'message' }, by } as const
    const reply = await one.node.request(0, [create, send([large])])
    expect(reply.answers[1]!.error).toBeUndefined()
    expect(await texts(one)).toEqual([large])
    expect((await recordOf(log)).holds(secret)).toBe(false)
    await one.close()
  })

  it('knows repeats of large bodies among others, and has each under the key of its number', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message', dedup: 'id' })
    const large = (name: string) => name + secret.repeat(10_000)
    await one.ask(send(['a', large('b')], { dedupIds: ['a', 'b'] }))
    const again = await one.ask(
      send([large('b'), large('c'), 'd', large('c'), large('e')], { dedupIds: ['b', 'c', 'd', 'c', 'e'] }),
    )
    expect(again.numbers).toEqual([2, 3, 3, 1, 5, 1])
    expect((await recordOf(log)).holds(secret)).toBe(false)
    await erase(one, { message: { queue: again.queue, number: 3 } })
    expect(await texts(one)).toEqual(['a', large('b'), 'd', large('e')])
    await one.close()
  })

  it('erases one message: its key is gone when that is confirmed, and it is delivered no more', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message' })
    const { queue } = await one.ask(send(['a', 'b', 'c']))
    const before = keysOf(log)
    expect(await erase(one, { message: { queue, number: 2 } })).toEqual({ erasure: 1, discarded: 1 })
    const [after] = [...keysOf(log)]
    expect(keysOf(log).size).toBe(before.size)
    expect(before.has(after!)).toBe(false)
    expect(after!.slice(64, 128)).toBe('0'.repeat(64))
    expect(await texts(one)).toEqual(['a', 'c'])
    const { events } = await recordOf(log)
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => type === 'Erased' || type === 'KeysDeleted')).toEqual([
      'Erased',
      'KeysDeleted',
    ])
    expect(events.find((e) => e.type === 'Erased')).toMatchObject({ by, numbers: [2, 1] })
    await one.close()
  })

  it('takes no sends while its keys cannot be reached, and others do', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message' })
    await one.ask({ type: 'CreateQueue', queue: 'plain', config: {}, by })
    log.keys.isDown = true
    const reply = await one.node.request(0, [send([secret]), send(['x'], { queue: 'plain' })])
    expect(reply.answers[0]!.error?.id).toBe('KeysUnavailable')
    expect(new KirokuError('KeysUnavailable', '').retryable).toBe(true)
    expect(reply.answers[1]!.error).toBeUndefined()
    expect((await recordOf(log)).holds(secret)).toBe(false)
    log.keys.isDown = false
    await one.ask(send(['later']))
    expect(await texts(one)).toEqual(['later'])
    await one.close()
  })

  it('gives back what it cannot open because a key is lost, and says so', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, { erasable: 'message' })
    await one.ask(send(['a']))
    await one.close()
    log.keys.lose()
    const two = await start(log, 'two')
    const reply = await two.node.request(0, [receive('mail')])
    expect(reply.answers[0]!.error?.id).toBe('KeysLost')
    await waitUntil(async () => {
      const { counts } = await two.ask({ type: 'DescribeQueue', queue: 'mail' })
      return counts.available === 1 && counts.discarded === 0
    })
    await two.close()
  })
})

describe('a queue that is erasable by group', () => {
  const config = { erasable: 'group', groups: 'fair' } as const
  const of = (group: string, ...messages: string[]) => send(messages, { groups: messages.map(() => group) })

  it('erases all of a group so far, and takes more of it under a new key', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, config)
    await one.ask(of('42', secret, 'b'))
    await one.ask(of('43', 'c'))
    const before = keysOf(log)
    expect(await erase(one, { group: '42' })).toMatchObject({ discarded: 2 })
    const old = [...before].filter((value) => !keysOf(log).has(value))
    expect(old).toHaveLength(1)
    expect([...keysOf(log)].some((value) => value.includes(old[0]!))).toBe(false)
    await one.ask(of('42', 'd'))
    expect((await texts(one)).toSorted()).toEqual(['c', 'd'])
    expect((await recordOf(log)).holds(secret)).toBe(false)
    await one.close()
  })

  it('deletes every key so far also where a later erasure of the group is decided first', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, config)
    await one.ask(of('42', 'a'))
    await one.close()
    const held: (() => void)[] = []
    let holds = (): boolean => false
    const keys: KeyStore = {
      keptMs: log.keys.keptMs,
      put: (name, value, revision) => log.keys.put(name, value, revision),
      scrub: (name) => log.keys.scrub(name),
      get: async (name) => {
        const found = await log.keys.get(name)
        if (holds()) await new Promise<void>((resolve) => held.push(resolve))
        return found
      },
    }
    const two = await startTestNode({ ...log, keys }, 'two')
    const { state } = two.node.actors.get(0)!
    const entry = groupEntry(0, state.names.get('mail')!.id, '42')
    const stored = () => keyIds(log.keys.peek(entry)!)
    // The answer that says that the first erasure's key is stored is long on its way.
    holds = () => stored().length === 2
    const first = erase(two, { group: '42' })
    await waitUntil(() => held.length === 1)
    // Of the second the keys are not deleted yet when the first goes on.
    holds = () => state.erasures.length > 0
    const second = erase(two, { group: '42' })
    await waitUntil(() => held.length === 2)
    await two.ask(of('42', 'between'))
    const used = [...stored()]
    held[0]!()
    await waitUntil(() => held.length === 3)
    holds = () => false
    for (const resolve of held.slice(1)) resolve()
    await Promise.all([first, second])
    expect(stored().filter((id) => used.includes(id))).toEqual([])
    await two.ask(of('42', 'after'))
    expect(await texts(two)).toEqual(['after'])
    await two.close()
  })

  it('goes on rightly when several erasures of a group come at once, with sends between them', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, config)
    await one.ask(of('42', 'a'))
    const first = erase(one, { group: '42' })
    const second = erase(one, { group: '42' })
    await Promise.all([first, second, one.ask(of('42', 'between'))])
    await one.ask(of('42', 'after'))
    const got = await texts(one)
    expect(got.at(-1)).toBe('after')
    expect(got).not.toContain('a')
    await one.close()
    const two = await start(log, 'two')
    await two.ask(of('42', 'later'))
    expect(await texts(two)).toEqual(['later'])
    await two.close()
  })

  it('stores large bodies encrypted too, each under the key of its group', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, config)
    const large = secret.repeat(10_000)
    await one.ask(send([large, large], { groups: ['42', '43'] }))
    expect((await recordOf(log)).holds(secret)).toBe(false)
    await erase(one, { group: '42' })
    expect(await texts(one)).toEqual([large])
    await one.close()
  })
})

describe('who sends to a queue that is not erasable', () => {
  it('cannot bring the engine to take a message for an encrypted one', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const one = await withQueue(log, {})
    const forged = Uint8Array.of(0x80, 0x80, 0, 1, 2, 0, 0x7b, 0x7d)
    const large = new Uint8Array(300_000)
    large.set(forged)
    for (const message of [forged, large]) {
      const reply = await one.node.request(0, [{ ...send([]), messages: [message] }])
      expect(reply.answers[0]!.error?.id).toBe('MalformedRequest')
    }
    await one.close()
  })
})
