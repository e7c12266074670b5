import { parseMessageId } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { createHiddenWorld, type HiddenWorld } from './hiddenWorld.ts'

/** What a viewer must find nowhere: as it was written, and in base64. */
const marker = 'Rumpelstiltskin'
const isTold = (text: string): boolean =>
  [marker, btoa(marker).slice(0, -2)].some((each) => text.toLowerCase().includes(each.toLowerCase()))

const until = (world: HiddenWorld, queue: string, available: number) =>
  waitUntil(async () => (await world.client.queues.describe(queue)).counts.available === available)

/** Sends a message that carries the marker, and has a consumer fail with it. */
const sendSecret = async ({ client }: HiddenWorld, queue: string): Promise<string> => {
  const { messageId } = await client.send(queue, { name: marker }, { attributes: { name: marker } })
  return messageId
}

/** Gives up everything that is in a queue, with an error that says what was in it. */
const giveUp = async ({ client }: HiddenWorld, queue: string, max: number): Promise<void> => {
  const messages = await client.receive(queue, { max })
  expect(messages).toHaveLength(max)
  for (const message of messages) {
    const text = message.text()
    await message.deadLetter(`${text.includes(marker) ? 'no such name in' : 'cannot read'} ${text}`)
  }
}

/** Hidden messages through every kind of queue, and beside them one that nobody hides. */
const everywhere = async (world: HiddenWorld): Promise<{ hidden: string[]; open: string }> => {
  const { client } = world
  const { queues } = client
  await queues.create('mail', { bodyHidden: 'on', deadLetter: 'dead' })
  await queues.create('plain', { deadLetter: 'dead', indexBody: 'on' })
  await queues.create('other', { deadLetter: 'grave', indexBody: 'on' })
  const dead = await sendSecret(world, 'mail')
  const { messageId: open } = await client.send('plain', { name: 'Snow White' })
  await giveUp(world, 'mail', 1)
  await giveUp(world, 'plain', 1)
  await until(world, 'dead', 2)
  // On through a queue that hides nothing, into the dead-letter queue of that.
  await queues.redrive('dead', { to: 'other' })
  await until(world, 'other', 2)
  await giveUp(world, 'other', 2)
  await until(world, 'grave', 2)
  // Some stay where they are: one that failed, one for which all deliveries are held.
  const waiting = await sendSecret(world, 'mail')
  const held = await sendSecret(world, 'mail')
  const [failed, busy] = await client.receive('mail', { max: 2 })
  await failed!.retry({ error: `no such name: ${marker}`, delayMs: 3_600_000 })
  await client.release(busy!.receipt, {
    error: `too many of ${marker}`,
    delayMs: 3_600_000,
    holdSubscription: true,
  })
  // One leaves the queue, and is the only trace of it when the queue is gone.
  const last = await sendSecret(world, 'mail')
  return { hidden: [dead, waiting, held, last], open }
}

const filters = [
  '',
  `error:${marker}`,
  `-error:${marker}`,
  `attr.name:${marker}`,
  `-attr.name:${marker}`,
  `payload.name:${marker}`,
  `-payload.name:${marker}`,
]

/** Every route of the API's own page, with every queue, message and parameter that makes it say more. */
const routesOf = async (
  world: HiddenWorld,
  queues: readonly string[],
  ids: readonly string[],
): Promise<readonly (readonly [method: string, path: string])[]> => {
  const { paths } = JSON.parse((await world.ask('vic', 'GET', '/openapi.json')).text) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  }
  const asked: (readonly [string, string])[] = [['GET', '/metrics']]
  for (const [path, methods] of Object.entries(paths))
    for (const method of Object.keys(methods)) {
      const named = path.includes('{queue}')
        ? queues.map((queue) => path.replace('{queue}', queue))
        : path.includes('{id}')
          ? ids.map((id) => path.replace('{id}', id))
          : [path]
      for (const each of named.map((it) => it.replace('{subscription}', 'main')))
        for (const query of method === 'get' ? (queriesOf(path) ?? ['']) : [''])
          asked.push([method.toUpperCase(), each + query])
    }
  return asked
}

const queriesOf = (path: string): readonly string[] | undefined => {
  if (path.endsWith('/search')) return filters.map((filter) => `?q=${encodeURIComponent(filter)}&limit=1000`)
  if (path.endsWith('/recording')) return [0, 1].map((n) => `?from=${n}/1&partition=${n}&state=1`)
  if (path.endsWith('/diff')) return ['?a=1&b=0s', '?a=1h&b=0s']
  if (path.endsWith('/body')) return ['', '?reveal=1', '?full=1', '?full=1&reveal=1']
  if (path.endsWith('/state')) return ['', '?states=ready,live,final', '?where=state:live']
  return undefined
}

/** Ids of a message at every place it was. */
const places = (id: string): string[] => {
  const { incarnation } = parseMessageId(id)
  const all = [id]
  for (const partition of [0, 1])
    for (let queue = 1; queue < 8; queue++)
      for (const number of [1, 2]) all.push(`${incarnation}-${partition}-${queue}-${number}`)
  return all
}

describe('[SEC-02] what a queue hides stays hidden', () => {
  for (const audited of [true, false])
    it(
      `[SEC-02] from viewers on every route, wherever a message went, ${audited ? 'by the index' : 'without an index'}`,
      { timeout: 120_000 },
      async () => {
        await using world = await createHiddenWorld(audited)
        const { hidden, open } = await everywhere(world)
        const queues = ['mail', 'plain', 'dead', 'other', 'grave']
        const ids = new Set([...hidden.flatMap(places), open])
        const routes = await routesOf(world, queues, [...ids])
        expect(new Set(routes.map(([, path]) => path.split('?')[0])).size).toBeGreaterThan(60)
        const look = async (): Promise<void> => {
          for (const [method, path] of routes) {
            const { status, text } = await world.ask('vic', method, path)
            if (isTold(text)) expect.fail(`${method} ${path} says ${text}`)
            if (method !== 'GET') expect([400, 403, 404], `${method} ${path}`).toContain(status)
          }
        }
        await look()
        // Another queue of the name hides nothing of its own; of those before it everything stays hidden.
        await world.client.queues.delete('mail', { force: true })
        await world.client.queues.create('mail', { indexBody: 'on', deadLetter: 'dead' })
        await look()
        const { messageId } = await world.client.send('mail', { name: 'Cinderella' })
        expect((await world.ask('vic', 'GET', `/v1/messages/${messageId}/body`)).text).toContain('Cinderella')
      },
    )

  it('[SEC-02] and is shown to those who handle messages: errors and attributes at once, bodies when revealed', async () => {
    await using world = await createHiddenWorld(true)
    const { hidden } = await everywhere(world)
    const [dead] = hidden
    const told = async (path: string): Promise<boolean> => isTold((await world.ask('olga', 'GET', path)).text)
    expect(await told(`/v1/messages/${dead}/trace`)).toBe(true)
    expect(await told('/v1/queues/grave/dead-letters')).toBe(true)
    expect(await told(`/v1/search?q=${encodeURIComponent(`error:${marker}`)}`)).toBe(true)
    expect(await told(`/v1/search?q=${encodeURIComponent(`attr.name:${marker}`)}`)).toBe(true)
    expect(await told('/v1/queues/mail/recording?from=1h')).toBe(true)
    expect(await told('/v1/queues/mail')).toBe(true)
    const body = `/v1/messages/${dead}/body`
    const unrevealed = JSON.parse((await world.ask('olga', 'GET', body)).text) as object
    expect(unrevealed).toMatchObject({ payload: { text: '' }, attributes: { name: marker }, hidden: true })
    expect(JSON.parse((await world.ask('olga', 'GET', `${body}?reveal=1`)).text)).toMatchObject({
      payload: { text: JSON.stringify({ name: marker }) },
    })
  })

  it('[SEC-02] while a message beside it, in the same queues, is shown to everybody', async () => {
    await using world = await createHiddenWorld(true)
    const { open } = await everywhere(world)
    const see = async (path: string): Promise<string> => (await world.ask('vic', 'GET', path)).text
    expect(await see(`/v1/messages/${open}/body`)).toContain('Snow White')
    expect(await see(`/v1/messages/${open}/trace`)).toContain('cannot read')
    expect(await see('/v1/queues/grave/dead-letters')).toContain('Snow White')
    const found = JSON.parse(await see(`/v1/search?q=${encodeURIComponent('error:"Snow White"')}`)) as {
      messages: { queue: string }[]
    }
    expect(found.messages.map(({ queue }) => queue).sort()).toEqual(['other', 'plain'])
  })

  it('[SEC-02] errors are shown where the queue says so', async () => {
    await using world = await createHiddenWorld(true)
    await world.client.queues.create('mail', { bodyHidden: 'on' })
    const id = await sendSecret(world, 'mail')
    const [message] = await world.client.receive('mail')
    await message!.retry({ error: 'timed out', delayMs: 3_600_000 })
    const trace = async () => (await world.ask('vic', 'GET', `/v1/messages/${id}/trace`)).text
    expect(await trace()).not.toContain('timed out')
    await world.client.queues.update('mail', { errorHidden: 'off' })
    await waitUntil(async () => (await trace()).includes('timed out'))
    expect(isTold((await world.ask('vic', 'GET', `/v1/messages/${id}/body`)).text)).toBe(false)
  })
})
