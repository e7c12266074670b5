import { once } from 'node:events'
import { readdir, rename, stat, writeFile } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { encodeCommands } from '@kiroku/nats'
import { type Command, type Delivery, KirokuError, type Reply } from '@kiroku/protocol'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { headerBytes } from './FrameReader.ts'
import type { LinkedOwner } from './LinkedClient.ts'
import { Links, LinkServer, type LinkService } from './index.ts'
import { encodeGreeting } from './greeting.ts'
import { linkVersion } from './limits.ts'

const list: readonly Command[] = [{ type: 'ListQueues' }]
const empty: Reply = { epoch: 1, seq: 1, answers: [{ ok: { queues: [] } }] }

const delivered = (messages: readonly Uint8Array[]): Reply => {
  const numbers = [1, messages.length]
  const delivery = { queue: 5, sub: 0, delivery: 9, numbers, messages } as unknown as Delivery
  return { epoch: 1, seq: 1, answers: [{ ok: { delivery } }] }
}

interface Setup {
  readonly folder?: string
  readonly request?: LinkedOwner['request']
  readonly at?: LinkService['at']
  readonly greetingTimeoutMs?: number
  readonly as?: string
}

/** A node that owns partition 3 only, and a client on its own clock. */
const start = async ({ request = async () => empty, ...setup }: Setup = {}) => {
  const own = setup.folder === undefined ? await temporaryFolder() : undefined
  if (own !== undefined) onTestFinished(() => own.remove())
  const folder = setup.folder ?? path.join(own!.path, 'link')
  const troubles: string[] = []
  const lost: Reply[] = []
  const owner: LinkedOwner = { request, expect: (reply) => () => lost.push(reply) }
  const server = await LinkServer.start(folder, {
    log: 'main',
    requestBytesMax: 100_000,
    ...(setup.greetingTimeoutMs === undefined ? {} : { greetingTimeoutMs: setup.greetingTimeoutMs }),
    at: setup.at ?? ((partition) => (partition === 3 ? owner : undefined)),
    onTrouble: (what) => troubles.push(what),
    onDefect: () => {},
  })
  onTestFinished(() => server.close())
  const clock = { ms: 0 }
  const links = new Links('main', setup.as, () => clock.ms)
  onTestFinished(() => links.close())
  const isOpen = (partition: number): boolean => {
    const asking = links.request(partition, list)
    asking?.catch(() => {})
    return asking !== undefined
  }
  return {
    folder,
    server,
    troubles,
    lost,
    clock,
    links,
    isOpen,
    open: async (partition = 3) => {
      links.told(partition, server.address)
      await waitUntil(() => isOpen(partition))
    },
  }
}

/** A connection that writes what it likes. */
const raw = async (address: string) => {
  const socket = net.connect(address)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  return { socket, closed }
}

const frame = (content: Uint8Array, request = 1, partition = 3, length = content.length): Buffer => {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(length, 0)
  header.writeUInt32LE(request, 4)
  header.writeUInt32LE(partition, 8)
  return Buffer.concat([header, content])
}

const idOf = (promise: Promise<unknown> | undefined): Promise<string> =>
  promise === undefined
    ? Promise.resolve('no link')
    : promise.then(
        () => 'none',
        (error: unknown) => (error instanceof KirokuError ? error.id : String(error)),
      )

it('a link brings each request its reply', async () => {
  const { links, open } = await start({
    request: async (commands) => ({
      epoch: 4,
      seq: 17,
      answers: commands.map((command) => ({
        error: { id: 'UnknownQueue', message: (command as { queue: string }).queue },
      })),
    }),
  })
  await open()
  const replies = await Promise.all(
    Array.from({ length: 300 }, (_, i) => links.request(3, [{ type: 'DescribeQueue', queue: `q${i}` }])!),
  )
  expect(replies.map((reply) => reply.answers[0]!.error!.message)).toEqual(replies.map((_, i) => `q${i}`))
  expect(replies[0]).toMatchObject({ epoch: 4, seq: 17 })
})

it('a link brings a reply that is larger than any buffer', async () => {
  const messages = Array.from({ length: 5 }, (_, i) => new Uint8Array(4 * 1024 * 1024).fill(i))
  const { links, open } = await start({ request: async () => delivered(messages) })
  await open()
  const reply = await links.request(3, list)
  const { delivery } = reply!.answers[0]!.ok as { delivery: Delivery }
  expect(delivery.messages.map((message) => [message.length, message[0], message.at(-1)])).toEqual(
    messages.map((message, i) => [message.length, i, i]),
  )
})

it('only this user can enter the folder of the sockets', async () => {
  const { folder, server } = await start()
  const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)
  expect([await modeOf(folder), await modeOf(server.address)]).toEqual(['700', '600'])
})

it('errors of the owner arrive, and a defect stays in the node', async () => {
  let thrown: unknown = new KirokuError('Fenced', 'another one writes')
  const { links, open } = await start({ request: () => Promise.reject(thrown as Error) })
  await open()
  expect(await idOf(links.request(3, list))).toBe('Fenced')
  thrown = new Error('secret')
  const failure = await links.request(3, list)!.catch((error: unknown) => error)
  expect(failure).toMatchObject({ id: 'Internal' })
  expect(String(failure)).not.toContain('secret')
})

it('a request that the node would not take is refused where it is sent, and the link stays', async () => {
  const { links, open, isOpen } = await start()
  await open()
  const command: Command = {
    type: 'Enqueue',
    queue: 'q',
    producer: 'p',
    send: 1,
    messages: [new Uint8Array(100_000)],
  }
  expect(await idOf(links.request(3, [command]))).toBe('BodyTooLarge')
  expect(isOpen(3)).toBe(true)
})

it('a node that does not own the partition says so, and its owner is asked for over NATS', async () => {
  const { links, open } = await start()
  links.told(1, (await start()).server.address)
  await open()
  await waitUntil(async () => (await idOf(links.request(1, list))) === 'NotOwner')
  expect(links.request(1, list)).toBeUndefined()
  expect(links.wants(1)).toBe(true)
  expect(links.wants(3)).toBe(false)
})

it('an owner that answers that it was replaced is asked for again as well', async () => {
  const replaced: Reply = {
    epoch: 1,
    seq: 1,
    answers: [{ error: { id: 'NotOwner', message: 'handed over' } }],
  }
  const { links, open } = await start({ request: async () => replaced })
  await open()
  await waitUntil(() => links.wants(3))
})

it('a partition that did not answer in time is reached over NATS', async () => {
  const { links, open } = await start({ request: () => new Promise(() => {}) })
  await open()
  links.timedOut(3)
  expect(links.request(3, list)).toBeUndefined()
  expect(links.wants(3)).toBe(true)
})

it('a link that breaks fails what is in flight, and is asked for after pauses that grow', async () => {
  let asked = 0
  const { clock, links, open, server, isOpen } = await start({
    request: () => {
      asked++
      return new Promise(() => {})
    },
  })
  await open()
  const underWay = idOf(links.request(3, list))
  await waitUntil(() => asked > 1)
  for (const pauseMs of [100, 200, 400]) {
    server.disconnect()
    await waitUntil(() => !isOpen(3))
    expect(await underWay).toBe('NotOwner')
    clock.ms += pauseMs - 1
    expect(links.wants(3)).toBe(false)
    clock.ms += 1
    expect(links.wants(3)).toBe(true)
    await open()
  }
  clock.ms += 60_000
  server.disconnect()
  await waitUntil(() => !isOpen(3))
  clock.ms += 100
  expect(links.wants(3)).toBe(true)
})

it('a path that is not there, as on another machine, leaves NATS', async () => {
  const { clock, links, isOpen, server } = await start()
  links.told(3, path.join(path.dirname(server.address), '0123456789abcdef.sock'))
  await waitUntil(() => {
    clock.ms += 100
    return links.wants(3)
  })
  expect(isOpen(3)).toBe(false)
  links.told(3, '/etc/passwd')
  expect(isOpen(3)).toBe(false)
  links.told(3, undefined)
  expect(links.wants(3)).toBe(false)
})

it('news of a lost connection to NATS may be missing, so owners are asked for again', async () => {
  const { links, open, isOpen, server } = await start()
  await open()
  links.missed()
  expect([links.wants(3), isOpen(3)]).toEqual([true, false])
  links.told(3, server.address)
  expect(isOpen(3)).toBe(true)
})

it('a delivery that reached no one is reported, whether its client is gone before it leaves or before it is sent', async () => {
  const answers: ((reply: Reply) => void)[] = []
  const { links, lost, open, troubles } = await start({
    request: ([command]) =>
      command?.type === 'ListQueues'
        ? Promise.resolve(empty)
        : new Promise((resolve) => answers.push(resolve)),
  })
  await open()
  const receive: readonly Command[] = [
    { type: 'Receive', queue: 'q', poll: 'p', max: 1, mode: 'push', consumer: 'c' },
  ]
  const asked = [links.request(3, receive), links.request(3, receive)].map(idOf)
  await waitUntil(() => answers.length === 2)
  links.close()
  expect(await Promise.all(asked)).toEqual(['NotOwner', 'NotOwner'])
  const reply = delivered([new Uint8Array(1)])
  answers[0]!(reply)
  answers[1]!(reply)
  await waitUntil(() => lost.length >= 2)
  expect(lost).toContain(reply)
  expect(troubles).toEqual([])
})

it('a client that does not read its replies is cut off before they fill the memory', async () => {
  const large = delivered([new Uint8Array(16 * 1024 * 1024)])
  const { server, lost, troubles } = await start({ request: async () => large })
  const { socket, closed } = await raw(server.address)
  const node = path.basename(server.address, '.sock')
  socket.pause()
  socket.write(frame(encodeGreeting({ version: linkVersion, log: 'main', node }), 0, 0))
  for (let request = 1; request <= 8; request++) socket.write(frame(encodeCommands(list), request))
  await waitUntil(() => troubles.length > 0)
  expect(troubles[0]).toMatch(/^it left \d+ bytes of replies unread$/)
  socket.resume()
  await closed
  expect(lost.length).toBeGreaterThan(0)
})

it.each([
  [
    'what is no frame',
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    /^a frame of \d+ bytes, where 1024 are accepted$/,
  ],
  ['a command without a greeting', frame(encodeCommands(list)), /^its first frame is no greeting$/],
  [
    'another version',
    frame(encodeGreeting({ version: 77, log: 'main', node: '' })),
    /^it speaks version 77 of the link, not 1$/,
  ],
  [
    'another node',
    frame(encodeGreeting({ version: linkVersion, log: 'main', node: 'x' })),
    /^it looks for another node$/,
  ],
])('a connection that begins with %s is closed, and the log says why', async (_, bytes, why) => {
  const { server, troubles } = await start()
  const { socket, closed } = await raw(server.address)
  socket.write(bytes)
  await closed
  expect(troubles).toEqual([expect.stringMatching(why)])
})

it('a connection that does not greet is closed, and one that did stays', async () => {
  const { server, troubles, open, isOpen } = await start({ greetingTimeoutMs: 50 })
  await open()
  const { closed } = await raw(server.address)
  await closed
  expect(isOpen(3)).toBe(true)
  expect(troubles).toEqual([])
})

it('a frame that is too large closes the connection, and the others stay', async () => {
  const { server, troubles, open, isOpen } = await start()
  await open()
  const { socket, closed } = await raw(server.address)
  const node = path.basename(server.address, '.sock')
  socket.write(frame(encodeGreeting({ version: linkVersion, log: 'main', node }), 0, 0))
  socket.write(frame(new Uint8Array(8), 1, 3, 100_001))
  await closed
  expect(troubles).toEqual(['a frame of 100001 bytes, where 100000 are accepted'])
  expect(isOpen(3)).toBe(true)
})

it('a stop waits for replies that are under way, and leaves no socket', async () => {
  let answer = (_: Reply): void => {}
  const { folder, links, open, server } = await start({
    request: ([command]) =>
      command?.type === 'ListQueues' ? Promise.resolve(empty) : new Promise((resolve) => (answer = resolve)),
  })
  await open()
  const asked = links.request(3, [{ type: 'DescribeQueue', queue: 'q' }])
  await links.request(3, list)
  const stopping = server.close()
  answer(empty)
  expect(await asked).toEqual(empty)
  await stopping
  expect(await readdir(folder)).toEqual([])
})

it('sockets that a killed process left are removed, those of other nodes and other files stay', async () => {
  const first = await start()
  const { folder } = first
  await writeFile(path.join(folder, 'notes.txt'), '')
  const stale = path.join(folder, '00000000000000aa.sock')
  const left = net.createServer().listen(stale)
  await once(left, 'listening')
  const file = `${stale}.kept`
  await rename(stale, file)
  left.close()
  await once(left, 'close')
  await rename(file, stale)
  const second = await start({ folder })
  expect((await readdir(folder)).toSorted()).toEqual(
    ['notes.txt', path.basename(first.server.address), path.basename(second.server.address)].toSorted(),
  )
  await first.open()
  await second.open()
})

it('a folder whose path is too long for a socket is refused', async () => {
  const { folder } = await start()
  await expect(start({ folder: path.join(folder, 'x'.repeat(100)) })).rejects.toMatchObject({
    id: 'InvalidArgument',
  })
})

it('acts of a client with a name are on record as its own, as over NATS', async () => {
  const asked: Command[] = []
  const node = await start({
    as: 'shop',
    request: (commands) => {
      asked.push(...commands)
      return Promise.resolve(empty)
    },
  })
  await node.open()
  await node.links.request(3, [{ type: 'PurgeQueue', queue: 'mail', by: { name: 'root', origin: 'cli vm' } }])
  expect(asked.at(-1)).toMatchObject({ by: { name: 'shop', origin: 'client, says it is root (cli vm)' } })
})
