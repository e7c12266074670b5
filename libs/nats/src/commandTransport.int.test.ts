import { type Command, type Delivery, KirokuError, type Reply, type UndeliveredItem } from '@kiroku/protocol'
import { startTestNats, waitUntil, withNats } from '@kiroku/testkit'
import { RequestError, type NatsConnection } from '@nats-io/nats-core'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from './Connection.ts'
import { commandSubject } from './commandSubjects.ts'
import { requestCommands } from './requestCommands.ts'
import { serveCommands, type CommandService } from './serveCommands.ts'

const nats = withNats()
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const connection = async (): Promise<NatsConnection> => {
  const nc = await connect({ servers: nats().url })
  closers.push(() => nc.close())
  return nc
}

let logs = 0
const list: readonly Command[] = [{ type: 'ListQueues' }]
const empty: Reply = { epoch: 1, seq: 1, answers: [{ ok: { queues: [] } }] }
const poll = (id: string): readonly Command[] => [
  { type: 'Receive', queue: 'q', poll: id, max: 1, waitMs: 60_000, mode: 'simple', consumer: 'c' },
]
const delivered = (messages: readonly Uint8Array[]): Reply => {
  const delivery: Delivery = {
    queue: 5,
    sub: 0,
    delivery: 9,
    now: 1,
    leaseUntil: 2,
    numbers: [1, messages.length],
    attempts: messages.map(() => 1),
    enqueuedAt: messages.map(() => 1),
    messages,
  }
  return { epoch: 1, seq: 1, answers: [{ ok: { delivery } }] }
}

/** A served partition and a requester, each on its own connection. */
const start = async (handle: CommandService['handle']) => {
  const log = `log${++logs}`
  const undelivered: UndeliveredItem[] = []
  const owner = await connection()
  const asker = await connection()
  const serving = serveCommands(owner, {
    log,
    partition: 3,
    handle,
    undelivered: (items) => undelivered.push(...items),
  })
  closers.push(() => serving.stop())
  const requester = requestCommands(asker, { log })
  closers.push(() => requester.close())
  await owner.flush()
  return { log, owner, asker, serving, requester, undelivered }
}

const idOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof KirokuError ? error.id : String(error)),
  )

describe('commands over NATS', () => {
  it('bring each request its reply', async () => {
    const { requester } = await start(async (commands) => ({
      epoch: 4,
      seq: 17,
      answers: commands.map((command) => ({
        error: { id: 'UnknownQueue', message: (command as { queue: string }).queue },
      })),
    }))
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        requester.request(3, [{ type: 'DescribeQueue', queue: `q${i}` }], { timeoutMs: 5_000 }),
      ),
    )
    expect(replies.map((reply) => reply.answers[0]!.error!.message)).toEqual(replies.map((_, i) => `q${i}`))
    expect(replies[0]).toMatchObject({ epoch: 4, seq: 17 })
  })

  it('are answered within this process without NATS, and stopping waits for the answer', async () => {
    let answer = (_: Reply): void => {}
    const { serving, owner } = await start(() => new Promise((resolve) => (answer = resolve)))
    const published = owner.stats().outMsgs
    const asking = serving.request(list)
    const stopping = serving.stop(5_000)
    let isStopped = false
    void stopping.then(() => (isStopped = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isStopped).toBe(false)
    answer(empty)
    expect(await asking).toEqual(empty)
    await stopping
    expect(owner.stats().outMsgs).toBe(published)
  })

  it('that fail here fail as they would over NATS', async () => {
    const { serving } = await start(() => Promise.reject(new Error('a defect')))
    expect(await idOf(serving.request(list))).toBe('Internal')
    const { serving: away } = await start(() => Promise.reject(new KirokuError('NotOwner', 'moved')))
    expect(await idOf(away.request(list))).toBe('NotOwner')
  })

  it('fail as unavailable at once when the partition is not served', async () => {
    const { requester } = await start(async () => empty)
    expect(await idOf(requester.request(2, list, { timeoutMs: 60_000 }))).toBe('Unavailable')
  })

  it('fail by their timeout when no reply comes', async () => {
    const { requester } = await start(() => new Promise(() => {}))
    expect(await idOf(requester.request(3, list, { timeoutMs: 50 }))).toBe('Timeout')
  })

  it('carry the error that the owner rejected with, and hide a defect', async () => {
    let thrown: unknown = new KirokuError('NotOwner', 'moved')
    const { requester } = await start(() => Promise.reject(thrown as Error))
    expect(await idOf(requester.request(3, list, { timeoutMs: 5_000 }))).toBe('NotOwner')
    thrown = new Error('secret')
    const failure = await requester.request(3, list, { timeoutMs: 5_000 }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ id: 'Internal' })
    expect(String(failure)).not.toContain('secret')
  })

  it('answer garbage as malformed', async () => {
    const { asker, log } = await start(async () => empty)
    const answer = await asker.request(commandSubject(log, 3), 'what?')
    expect(new TextDecoder().decode(answer.data)).toContain('MalformedRequest')
  })

  it('bring a reply larger than the server takes in several messages', async () => {
    const messages = Array.from({ length: 5 }, (_, i) => new Uint8Array(4 * 1024 * 1024).fill(i))
    const { requester } = await start(async () => delivered(messages))
    const reply = await requester.request(3, poll('p'), { timeoutMs: 20_000 })
    const { delivery } = reply.answers[0]!.ok as { delivery: Delivery }
    expect(delivery.messages.map((message) => [message.length, message[0], message.at(-1)])).toEqual(
      messages.map((message, i) => [message.length, i, i]),
    )
  })

  it('refuse a request larger than the server takes', async () => {
    const { requester } = await start(async () => empty)
    const command: Command = {
      type: 'Enqueue',
      queue: 'q',
      producer: 'p',
      send: 1,
      messages: [new Uint8Array(20 * 1024 * 1024)],
    }
    expect(await idOf(requester.request(3, [command], { timeoutMs: 1_000 }))).toBe('BodyTooLarge')
  })

  it('tell the owner when a delivery reached no one because the client is gone', async () => {
    let answer: ((reply: Reply) => void) | undefined
    const { log, owner, requester, undelivered, asker } = await start(
      () => new Promise((resolve) => (answer = resolve)),
    )
    asker.subscribe(`here.${log}`, { callback: (_, msg) => void msg.respond() })
    const asked = idOf(requester.request(3, poll('p'), { timeoutMs: 60_000 }))
    await waitUntil(() => answer !== undefined)
    await asker.close()
    expect(await asked).toBe('NatsUnreachable')
    // The server learns of it on another connection than the one that carries the answer.
    await waitUntil(() =>
      owner.request(`here.${log}`).then(
        () => false,
        (error: unknown) => error instanceof RequestError && error.isNoResponders(),
      ),
    )
    answer!(delivered([new Uint8Array(1), new Uint8Array(1)]))
    await waitUntil(() => undelivered.length > 0)
    expect(undelivered).toEqual([{ queue: 5, sub: 0, delivery: 9, numbers: [1, 2], leaseUntil: 2 }])
  })

  it('hand over a delivery that arrives after its request was given up', async () => {
    let answer: ((reply: Reply) => void) | undefined
    const { requester, undelivered } = await start(() => new Promise((resolve) => (answer = resolve)))
    const strays: [number, Reply][] = []
    requester.onStray((partition, reply) => strays.push([partition, reply]))
    expect(await idOf(requester.request(3, poll('p'), { timeoutMs: 100 }))).toBe('Timeout')
    answer!(delivered([new Uint8Array(1)]))
    await waitUntil(() => strays.length === 1)
    expect(strays[0]![0]).toBe(3)
    expect(undelivered).toEqual([])
  })

  it('cancel a poll that waits, whose reply still comes', async () => {
    const parked = new Map<string, (reply: Reply) => void>()
    const { requester } = await start((commands) => {
      const [command] = commands
      if (command?.type === 'CancelReceive') {
        parked.get(command.poll)?.({ epoch: 1, seq: 1, answers: [{ ok: {} }] })
        return Promise.resolve({ epoch: 1, seq: 1, answers: [{ ok: { cancelled: true } }] })
      }
      return new Promise((resolve) => command?.type === 'Receive' && parked.set(command.poll, resolve))
    })
    const asked = requester.request(3, poll('p'), { timeoutMs: 60_000 })
    await waitUntil(() => parked.has('p'))
    const cancelled = await requester.request(3, [{ type: 'CancelReceive', poll: 'p' }], { timeoutMs: 5_000 })
    expect(cancelled.answers).toEqual([{ ok: { cancelled: true } }])
    expect((await asked).answers).toEqual([{ ok: {} }])
  })

  it('announce a new owner to every requester', async () => {
    const { requester, serving, asker } = await start(async () => empty)
    const heard: [number, number][] = []
    requester.onOwnerChanged((partition, epoch) => heard.push([partition, epoch]))
    await asker.flush()
    serving.announce(12)
    await waitUntil(() => heard.length === 1)
    expect(heard).toEqual([[3, 12]])
  })

  it('ask for links to owners where they are wanted, and hear of them with new owners', async () => {
    const { log, owner, asker } = await start(async () => empty)
    const wanted = new Set([3])
    const news: (readonly [number, string | undefined])[] = []
    const requester = requestCommands(asker, {
      log,
      links: {
        wants: (partition) => wanted.has(partition),
        told: (partition, address) => news.push([partition, address]),
        missed: () => {},
      },
    })
    closers.push(() => requester.close())
    await requester.request(3, list, { timeoutMs: 5_000 })
    expect(news).toEqual([[3, undefined]])
    const linked = serveCommands(owner, {
      log,
      partition: 4,
      handle: async () => delivered([new Uint8Array(9 * 1024 * 1024)]),
      undelivered: () => {},
      link: '/run/a.sock',
    })
    closers.push(() => linked.stop())
    await owner.flush()
    await requester.request(4, list, { timeoutMs: 5_000 })
    expect(news).toHaveLength(1)
    wanted.add(4)
    await requester.request(4, list, { timeoutMs: 5_000 })
    expect(news.slice(1)).toEqual([[4, '/run/a.sock']])
    linked.announce(12)
    await waitUntil(() => news.length === 3)
    expect(news[2]).toEqual([4, '/run/a.sock'])
  })

  it('answer requests in flight before they stop, and none after', async () => {
    let answer: ((reply: Reply) => void) | undefined
    const { requester, serving } = await start(() => new Promise((resolve) => (answer = resolve)))
    const asked = requester.request(3, list, { timeoutMs: 10_000 })
    await waitUntil(() => answer !== undefined)
    const stopped = serving.stop(10_000)
    answer!(empty)
    await stopped
    expect(await asked).toEqual(empty)
    expect(await idOf(requester.request(3, list, { timeoutMs: 10_000 }))).toBe('Unavailable')
  })
})

it('fails what is in flight when the connection is lost, refuses more, and resumes when it is back', async () => {
  const server = await startTestNats()
  closers.push(() => server.stop())
  const nc = await connect({ servers: server.url })
  closers.push(() => nc.close())
  let missed = 0
  const links = { wants: () => false, told: () => {}, missed: () => missed++ }
  const requester = requestCommands(nc, { log: 'main', links })
  closers.push(() => requester.close())
  let asked = 0
  const serving = serveCommands(nc, {
    log: 'main',
    partition: 0,
    handle: () => (asked++ === 0 ? new Promise(() => {}) : Promise.resolve(empty)),
    undelivered: () => {},
  })
  closers.push(() => serving.stop(10))
  const underWay = idOf(requester.request(0, list, { timeoutMs: 60_000 }))
  await waitUntil(() => asked === 1)
  serving.announce(7)
  await nc.flush()
  await server.kill('SIGKILL')
  expect(await underWay).toBe('NatsUnreachable')
  expect(await idOf(requester.request(0, list, { timeoutMs: 60_000 }))).toBe('NatsUnreachable')
  let reconnected = 0
  requester.onReconnected(() => reconnected++)
  const announced: number[] = []
  requester.onOwnerChanged((_, epoch) => announced.push(epoch))
  await server.restart()
  await waitUntil(() => reconnected === 1)
  expect(missed).toBe(1)
  // The server lost what it was told before, and so may clients have.
  await waitUntil(() => announced.includes(7))
  await waitUntil(async () => (await idOf(requester.request(0, list, { timeoutMs: 1_000 }))) === 'none')
})
