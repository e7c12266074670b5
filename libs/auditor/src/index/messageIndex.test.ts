import { readActs } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/testkit/engine'
import { describe, expect, it } from 'vitest'
import { readHistory } from '../history/readHistory.ts'
import { IndexFollower } from './IndexFollower.ts'
import { IndexIngest } from './IndexIngest.ts'
import { actsOf } from './actsOf.ts'
import {
  ask,
  by,
  catchUp,
  create,
  engine,
  follow,
  followers,
  found,
  receive,
  search,
  send,
  withIndexedEngine,
  writer,
} from '../testing/TestIndex.ts'

withIndexedEngine()

describe('the index of messages', () => {
  it('finds messages by what happened to them, where they went and where they came from', async () => {
    const { queue: dead } = await create('dead', {}, 1)
    const deadLetter = { name: 'dead', partition: 1, queue: dead }
    await create('mail', { retriesMax: 0, deadLetter, indexBody: 'on' })
    await create('other')
    await send('mail', [{ user: { id: 42 } }, { user: { id: 7 }, items: [{ sku: 'A-1' }] }], {
      tag: 'urgent',
    })
    await send('other', [{ user: { id: 42 } }])
    await catchUp()
    expect(await found('state:available')).toEqual(['mail/main 1', 'mail/main 2', 'other/main 1'])
    const first = (await receive('mail', 1))!
    const item = { queue: first.queue, sub: 0, delivery: first.delivery }
    await ask(0, { type: 'Retry', items: [{ ...item, numbers: [1, 1] }], error: 'timed out after 30 s' })
    await receive('dead', 1, 1)
    await catchUp()
    expect(await found('state:dlq')).toEqual(['mail/main 1'])
    expect(await found('state:dlq error:"timed out" reason:retry attempt:1')).toEqual(['mail/main 1'])
    expect(await found('error:other')).toEqual([])
    const [deadLettered] = (await search('state:dlq')).messages
    expect(await found(`fingerprint:${deadLettered!.fingerprint}`)).toEqual(['mail/main 1'])
    expect(deadLettered).toMatchObject({ error: 'timed out after 30 s', consumer: 'worker-1', tag: 'urgent' })
    expect(await found('queue:dead state:inflight')).toEqual(['dead/main 1'])
    expect(await found(`id:${deadLettered!.messageId}`)).toEqual(['dead/main 1', 'mail/main 1'])
    expect(await found('payload.user.id:42')).toEqual(['dead/main 1', 'mail/main 1'])
    expect(await found('payload.items.sku:a-1 payload.user.id:<8')).toEqual(['mail/main 2'])
    expect(await found('queue:mail -payload.user.id:42')).toEqual(['mail/main 2'])
    expect((await search('payload.user.id:42')).bodiesNotIndexed).toEqual(['other'])
    expect((await search('queue:mail payload.user.id:42')).bodiesNotIndexed).toEqual([])
    expect(await found('attr.region:EU tag:urgent queue:mail')).toEqual(['mail/main 1', 'mail/main 2'])
    expect((await search('state:dlq')).reached.map(({ partition }) => partition)).toEqual([0, 1])
  })

  it('finds nothing for an unknown name, whatever else is asked for', async () => {
    await create('mail')
    await send('mail', [1])
    await catchUp()
    const [message] = (await search('queue:mail')).messages
    for (const place of ['state:available', 'state:dlq', `id:${message!.messageId}`, 'group:a', 'error:x'])
      for (const nobody of ['queue:nosuch', 'subscription:nosuch', 'tag:nosuch', 'consumer:nosuch'])
        expect(await found(`${place} ${nobody}`), `${place} ${nobody}`).toEqual([])
  })

  it('finds dead letters by their bodies whichever partition it reads first', async () => {
    const { queue: dead } = await create('dead', {}, 1)
    await create('mail', { deadLetter: { name: 'dead', partition: 1, queue: dead }, indexBody: 'on' })
    await send('mail', [{ n: 1 }])
    const { queue, delivery, numbers } = (await receive('mail'))!
    await ask(0, { type: 'DeadLetter', items: [{ queue, sub: 0, delivery, numbers }], error: 'no' })
    await receive('dead', 1, 1)
    followers.reverse()
    await catchUp()
    expect(await found('payload.n:1')).toEqual(['dead/main 1', 'mail/main 1'])
    expect((await search('payload.n:1')).bodiesNotIndexed).toEqual([])
  })

  it('knows nothing of the bodies of a queue that hides them, neither of old ones nor of those that come to it', async () => {
    const { queue: dead } = await create('dead', { bodyHidden: 'on' }, 1)
    await create('mail', { deadLetter: { name: 'dead', partition: 1, queue: dead }, indexBody: 'on' })
    await send('mail', [{ n: 1 }, { n: 2 }])
    const { queue, delivery } = (await receive('mail', 1))!
    await ask(0, { type: 'DeadLetter', items: [{ queue, sub: 0, delivery, numbers: [1, 1] }], error: 'no' })
    await receive('dead', 1, 1)
    await catchUp()
    expect(await found('payload.n:1')).toEqual(['mail/main 1'])
    expect((await search('queue:dead payload.n:1')).bodiesNotIndexed).toEqual(['dead'])
    const config = { indexBody: 'off', bodyHidden: 'on' } as const
    await ask(0, { type: 'ConfigureQueue', queue: 'mail', config, by: { name: 'bob', origin: 'http' } })
    await catchUp()
    expect(await found('payload.n:1')).toEqual([])
    expect(await found('payload.n:2')).toEqual([])
    expect(await found('queue:mail')).toEqual(['mail/main 1', 'mail/main 2'])
  })

  it('forgets the bodies of messages that passed a queue as soon as that hides them', async () => {
    const { queue: dead } = await create('dead', { indexBody: 'on' }, 1)
    const { queue: mail } = await create('mail', { deadLetter: { name: 'dead', partition: 1, queue: dead } })
    await send('mail', [{ n: 1 }, { n: 2 }])
    const { queue, delivery } = (await receive('mail', 1))!
    await ask(0, { type: 'DeadLetter', items: [{ queue, sub: 0, delivery, numbers: [1, 1] }], error: 'no' })
    await receive('dead', 1, 1)
    await catchUp()
    expect(await found('payload.n:1')).toEqual(['dead/main 1'])
    await ask(0, { type: 'ConfigureQueue', queue: 'mail', config: { bodyHidden: 'on' }, by })
    await catchUp()
    expect(writer.database.prepare('SELECT count(*) AS n FROM fields').get()!['n']).toBe(0)
    expect((await search('queue:dead')).messages).toMatchObject([{ hidden: 'all', attributes: {} }])
    expect(writer.hidesBodies({ partition: 0, queue: mail })).toBe(true)
  })

  it('tells viewers nothing of what a queue hides, not by a cursor either', async () => {
    await create('open')
    await create('mail', { bodyHidden: 'on' })
    await send('open', [1])
    for (let i = 0; i < 3; i++) await send('mail', [i])
    await send('open', [2])
    await catchUp()
    const look = async (filter: string, asOperator: boolean) => {
      const { messages, cursor } = await search(filter, { limit: 1, asOperator })
      return [messages.map(({ queue, attributes }) => [queue, attributes]), cursor !== undefined]
    }
    expect(await look('attr.region:eu queue:mail', false)).toEqual([[], false])
    expect(await look('-attr.region:us queue:mail', false)).toEqual([[], false])
    expect(await look('attr.region:eu queue:mail', true)).toEqual([[['mail', { region: 'eu' }]], true])
    expect(await look('queue:mail', false)).toEqual([[['mail', {}]], true])
    const first = await search('attr.region:eu', { limit: 1 })
    const second = await search('attr.region:eu', { limit: 2 })
    expect([first.messages.length, first.cursor === undefined]).toEqual([1, false])
    expect([second.messages.length, second.cursor]).toEqual([2, undefined])
  })

  it('returns everything it found, a page at a time', async () => {
    await create('mail')
    for (let i = 0; i < 5; i++)
      await send(
        'mail',
        Array.from({ length: 20 }, (_, n) => n),
      )
    await catchUp()
    const seen: number[] = []
    let cursor: string | undefined
    do {
      const answer = await search('queue:mail', { limit: 17, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...answer.messages.map(({ number }) => number))
      cursor = answer.cursor
    } while (cursor !== undefined)
    expect(seen).toHaveLength(100)
    expect(new Set(seen).size).toBe(100)
    await expect(search('', { cursor: 'x' })).rejects.toThrow('not a cursor')
    await expect(search('', { limit: 0 })).rejects.toThrow('limit')
  })

  it('knows who did each administrative act, and what it changed', async () => {
    await create('mail')
    await ask(0, { type: 'ConfigureQueue', queue: 'mail', config: { leaseMs: 9_000 }, by })
    await send('mail', [1, 2])
    await ask(0, { type: 'PurgeQueue', queue: 'mail', by: { name: 'bob', origin: 'http' } })
    await catchUp()
    const acts = actsOf(writer.database, {})
    expect(acts.map(({ event }) => event)).toEqual(['QueuePurged', 'QueueConfigured', 'QueueCreated'])
    expect(acts[2]!.after).toEqual({})
    expect(acts[0]).toMatchObject({ queue: 'mail', before: { messages: 2 }, after: { messages: 0 } })
    expect(acts[1]).toMatchObject({ by, before: {}, after: { leaseMs: 9_000 } })
    expect(actsOf(writer.database, { actor: 'bob' })).toEqual([acts[0]])
    expect(await readActs(engine.log, {}, { decodeCheckpoint })).toEqual(acts)
    expect(await found('reason:purged')).toEqual(['mail/main 1', 'mail/main 2'])
  })

  it('begins in the middle of a record with what is live there', async () => {
    await create('mail')
    await send('mail', [1, 2, 3])
    await receive('mail', 1)
    const { state } = engine.node().actors.get(0)!
    new IndexIngest(writer, 0, () => Promise.resolve(undefined)).seed(state, state.frameSeq)
    writer.flush()
    const asked = { from: state.at, to: state.at + 1_000, buckets: 1, byQueue: false }
    const ends = { now: state.at + 1_000, lastSeqs: new Map<number, number>() }
    const read = (queue?: string) =>
      readHistory(writer.database, { ...asked, ...(queue === undefined ? {} : { queue }) }, ends)
    expect(read('mail')).toMatchObject({ waitingBefore: 3, buckets: [] })
    expect(read()).toMatchObject({ waitingBefore: 3, buckets: [] })
  })

  it('is rebuilt if it does not fit the log', async () => {
    await create('mail')
    await send('mail', [1])
    await catchUp()
    const reached = writer.reached(0)!
    writer.reach(0, { ...reached, hash: new Uint8Array(32) })
    writer.database.exec('DELETE FROM messages')
    follow(new IndexFollower(0, { log: engine.log, writer, decodeCheckpoint }))
    await send('mail', [2])
    await catchUp()
    expect(await found('queue:mail')).toEqual(['mail/main 1', 'mail/main 2'])
  })
})
