import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { BackPressure, defineQueue, type ConsumedMessage } from './index.ts'
import { startTestClient } from './startTestClient.ts'

/** An ordered queue with messages, each named after its group and its place in it. */
const start = async (names: readonly string[], time?: ManualTime) => {
  const { client } = await startTestClient(time)
  await client.queues.create('dead')
  await client.queues.create('mail', { groups: 'ordered', retriesMax: 5, deadLetter: 'dead' })
  await client.sendBatch(
    'mail',
    names.map((name) => ({ body: JSON.stringify(name), group: name[0]! })),
  )
  const committed = async () => (await client.queues.describe('mail')).counts.committed
  return { client, committed }
}

const nameOf = (message: ConsumedMessage): string => message.json<string>()

describe('a consumer of single messages, in an ordered queue', () => {
  it('handles those of a group one after another, and groups side by side', async () => {
    const names = ['a1', 'b1', 'a2', 'b2', 'a3']
    const { client, committed } = await start(names)
    const log: string[] = []
    client.consumeEach('mail', async (message) => {
      log.push(`${nameOf(message)} begins`)
      await Promise.resolve()
      log.push(`${nameOf(message)} ends`)
    })
    await waitUntil(async () => (await committed()) === names.length)
    const of = (group: string) => log.filter((each) => each.startsWith(group))
    expect(of('a')).toEqual([1, 2, 3].flatMap((n) => [`a${n} begins`, `a${n} ends`]))
    expect(of('b')).toEqual([1, 2].flatMap((n) => [`b${n} begins`, `b${n} ends`]))
    expect(log.slice(0, 2)).toEqual(['a1 begins', 'b1 begins'])
  })

  it.each([
    [
      'fails',
      (): void => {
        throw new Error('not yet')
      },
      2,
    ],
    [
      'meets an upstream that is too busy',
      (): void => {
        throw new BackPressure({ delayMs: 5 })
      },
      1,
    ],
    ['is to be tried again', (message: ConsumedMessage) => message.retry(), 2],
    ['is given back', (message: ConsumedMessage) => message.release(), 1],
  ] as const)(
    'keeps what is behind one that %s until it is through, uncounted, and no other group',
    async (_, act, attempts) => {
      const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']
      const { client, committed } = await start(names)
      const begun: [name: string, attempt: number][] = []
      let isFirst = true
      client.consumeEach('mail', (message) => {
        begun.push([nameOf(message), message.attempt])
        if (nameOf(message) !== 'a2' || !isFirst) return
        isFirst = false
        act(message)
      })
      await waitUntil(async () => (await committed()) === names.length)
      expect(begun.filter(([name]) => name.startsWith('a'))).toEqual([
        ['a1', 1],
        ['a2', 1],
        ['a2', attempts],
        ['a3', 1],
        ['a4', 1],
      ])
      expect(begun.filter(([name]) => name.startsWith('b'))).toEqual([
        ['b1', 1],
        ['b2', 1],
      ])
    },
  )

  it('goes on behind one that is dead-lettered', async () => {
    const { client, committed } = await start(['a1', 'a2', 'a3'])
    const seen: string[] = []
    client.consumeEach('mail', (message) => {
      seen.push(nameOf(message))
      if (nameOf(message) === 'a1') message.deadLetter('no use')
    })
    await waitUntil(async () => (await committed()) === 2)
    expect(seen).toEqual(['a1', 'a2', 'a3'])
  })

  it('gives what it has not begun back when it stops', async () => {
    const { client } = await start(['a1', 'a2', 'a3'])
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const seen: string[] = []
    const consumer = client.consumeEach('mail', async (message) => {
      seen.push(nameOf(message))
      await gate
    })
    await waitUntil(() => seen.length === 1)
    const stopped = consumer.stop()
    open()
    await stopped
    expect(seen).toEqual(['a1'])
    expect((await client.queues.describe('mail')).counts).toMatchObject({
      committed: 1,
      available: 2,
      redelivered: 0,
    })
  })

  it('goes on with other groups while one takes its time', async () => {
    const { client, committed } = await start(['a1', 'a2', 'b1'])
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const seen: string[] = []
    client.consumeEach('mail', async (message) => {
      seen.push(nameOf(message))
      if (nameOf(message) === 'a1') await gate
    })
    await waitUntil(async () => (await committed()) === 1)
    await client.send('mail', JSON.stringify('b2'), { group: 'b' })
    await waitUntil(async () => (await committed()) === 2)
    expect(seen).toEqual(['a1', 'b1', 'b2'])
    open()
    await waitUntil(async () => (await committed()) === 4)
    expect(seen).toEqual(['a1', 'b1', 'b2', 'a2'])
  })

  it('begins nothing of a lease that it has lost', async () => {
    const time = new ManualTime()
    const { client, committed } = await start(['a1', 'a2'], time)
    const seen: string[] = []
    client.consumeEach(
      'mail',
      async (message) => {
        seen.push(`${nameOf(message)}/${message.attempt}`)
        if (seen.length === 1) await time.sleep(60_000)
      },
      { leaseMs: 10_000, renew: false },
    )
    await waitUntil(() => seen.length === 1)
    await time.advance(60_000)
    await waitUntil(async () => (await committed()) === 2)
    expect(seen).toEqual(['a1/1', 'a1/2', 'a2/2'])
  })

  it('hands over nothing of a group behind one whose schema failed', async () => {
    const { client, committed } = await start(['a1', 'a2', 'b1'])
    let failures = 0
    const mail = defineQueue('mail', {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: unknown) => {
          if (value === 'a1' && failures++ === 0) throw new Error('no connection')
          return { value: value as string }
        },
      },
    })
    const seen: string[] = []
    client.consumeEach(mail, (message) => void seen.push(nameOf(message)))
    await waitUntil(async () => (await committed()) === 3)
    expect(seen.filter((each) => each.startsWith('a'))).toEqual(['a1', 'a2'])
  })
})

it('a fair queue has the messages of a tenant handled side by side', async () => {
  const { client } = await startTestClient()
  await client.queues.create('mail', { groups: 'fair' })
  await client.sendBatch(
    'mail',
    ['a1', 'a2'].map((body) => ({ body, group: 'a' })),
  )
  let running = 0
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  client.consumeEach('mail', async () => {
    running++
    await gate
  })
  await waitUntil(() => running === 2)
  open()
})

describe('a consumer of single messages', () => {
  /** Messages that end when they are let go, those that have begun, and the attempt of each. */
  const startHeld = async (names: readonly string[], batchMessages: number) => {
    const { client } = await startTestClient()
    await client.queues.create('dead')
    await client.queues.create('mail', { deadLetter: 'dead', retriesMax: 5 })
    await client.sendBatch(
      'mail',
      names.map((body) => ({ body })),
    )
    const begun = new Map<string, () => void>()
    const consumer = client.consumeEach(
      'mail',
      async (message) => {
        const name = `${message.text()}/${message.attempt}`
        await new Promise<void>((resolve) => void begun.set(name, resolve))
        if (name.startsWith('bad') && message.attempt === 1) throw new Error('not yet')
      },
      { batchMessages },
    )
    return { client, begun, consumer, letGo: (name: string) => begun.get(name)!() }
  }

  it('takes more while one takes its time, and never has more than a batch under way', async () => {
    const { client, begun, letGo } = await startHeld(['a', 'b', 'c', 'd', 'e'], 3)
    await waitUntil(() => begun.size === 3)
    letGo('b/1')
    await waitUntil(() => begun.size === 4)
    expect([...begun.keys()]).toEqual(['a/1', 'b/1', 'c/1', 'd/1'])
    await waitUntil(async () => {
      const { counts } = await client.queues.describe('mail')
      return counts.inflight === 3 && counts.available === 1 && counts.committed === 1
    })
    for (const name of ['a/1', 'c/1', 'd/1']) letGo(name)
    await waitUntil(() => begun.has('e/1'))
    letGo('e/1')
  })

  it('gets one that failed again while another of its batch takes its time', async () => {
    const { begun, letGo } = await startHeld(['slow', 'bad'], 10)
    await waitUntil(() => begun.size === 2)
    letGo('bad/1')
    await waitUntil(() => begun.has('bad/2'))
    for (const name of ['slow/1', 'bad/2']) letGo(name)
  })

  it('takes the next batch at once when one is through, however quick', async () => {
    const { begun, letGo } = await startHeld(['a', 'b'], 1)
    await waitUntil(() => begun.has('a/1'))
    letGo('a/1')
    await waitUntil(() => begun.has('b/1'))
    letGo('b/1')
  })

  it('waits for what is under way when it stops, and takes nothing more', async () => {
    const { client, begun, consumer, letGo } = await startHeld(['a', 'b', 'c'], 2)
    await waitUntil(() => begun.size === 2)
    letGo('a/1')
    const stopped = consumer.stop()
    letGo('b/1')
    await stopped
    expect((await client.queues.describe('mail')).counts).toMatchObject({
      committed: 2,
      available: 1,
      inflight: 0,
    })
  })
})
