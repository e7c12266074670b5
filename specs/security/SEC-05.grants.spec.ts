import { describe, expect, it } from 'vitest'
import { createGrantedWorld, type GrantedWorld } from './grantedWorld.ts'

const timeout = 180_000

/** What somebody who is granted queues `orders…` must find nowhere. */
const isTold = (text: string): boolean => /vault/i.test(text)

/** Where it is told. */
const aroundTold = (text: string): string => /.{0,200}vault.{0,100}/i.exec(text)?.[0] ?? ''

/** A request, but for its method. */
interface Asked {
  readonly url: string
  readonly body?: unknown
}

/**
 * How a route is tried. `queue`: it is about the queue of its path. `some`: everything that makes it say more, with ids of
 * messages and queues that the caller may not know of among it. `all`: it cannot be divided.
 */
type Route =
  | { readonly kind: 'queue'; readonly body?: unknown; readonly queries?: readonly string[] }
  | { readonly kind: 'some'; readonly asked: (world: GrantedWorld) => readonly Asked[] }
  | { readonly kind: 'all'; readonly body?: unknown }

const queue = (body?: unknown, ...queries: string[]): Route => ({ kind: 'queue', body, queries })
const all = (body?: unknown): Route => ({ kind: 'all', body })
const some = (...asked: Asked[]): Route => ({ kind: 'some', asked: () => asked })
const messages = (suffix: string, body?: unknown): Route => ({
  kind: 'some',
  asked: ({ ids }) => Object.values(ids).map((id) => ({ url: `/v1/messages/${id}${suffix}`, body })),
})
const receipts = (verdict: string, more = {}): Route => ({
  kind: 'some',
  asked: (world) => [
    { url: `/v1/messages/${verdict}`, body: { receipts: Object.values(world.receipts), ...more } },
  ],
})
const urls = (...queries: string[]): Route => some(...queries.map((url) => ({ url })))
const matching = (act: string): Route =>
  some(
    ...['', 'queue:vault*', '-queue:orders*', 'error:vault'].map((where) => ({
      url: `/v1/matching/${act}`,
      body: { where: `state:live ${where}`, dryRun: true },
    })),
  )

/** Every route of the API. One that is not here turns this red, until it is said what it tells to whom. */
const routes: Readonly<Record<string, Route>> = {
  'GET /v1/queues': urls('/v1/queues'),
  'GET /v1/queue-names': urls('/v1/queue-names', '/v1/queue-names?limit=1&after=orders'),
  'POST /v1/queues': some(
    { url: '/v1/queues', body: { name: 'orders-new' } },
    { url: '/v1/queues', body: { name: 'orders', settings: { leaseMs: 1_000 } } },
  ),
  'GET /v1/queues/{queue}': queue(),
  'PATCH /v1/queues/{queue}': queue({ leaseMs: 40_000 }),
  'GET /v1/queues/{queue}/groups': queue(),
  'POST /v1/queues/{queue}/spread': queue({ partitions: 1 }),
  'POST /v1/queues/{queue}/purge': queue(),
  'POST /v1/queues/{queue}/erase': queue({ group: 'a', reason: 'asked' }),
  'POST /v1/queues/{queue}/pause': queue(),
  'POST /v1/queues/{queue}/resume': queue(),
  'POST /v1/queues/{queue}/subscriptions': queue({ name: 'other' }),
  'PATCH /v1/queues/{queue}/subscriptions/{subscription}': queue({ leaseMs: 40_000 }),
  'POST /v1/queues/{queue}/subscriptions/{subscription}/reset': queue({}),
  'POST /v1/queues/{queue}/subscriptions/{subscription}/pause': queue(),
  'POST /v1/queues/{queue}/subscriptions/{subscription}/resume': queue(),
  'DELETE /v1/queues/{queue}/subscriptions/{subscription}': queue(),
  'GET /v1/queues/{queue}/dead-letters': queue(undefined, '?at=1s'),
  'POST /v1/queues/{queue}/redrives': queue({ dryRun: true }),
  'GET /v1/queues/{queue}/redrives': queue(),
  'POST /v1/queues/{queue}/redrives/cancel': queue({}),
  'POST /v1/queues/{queue}/messages': queue({ body: 'a' }),
  'POST /v1/queues/{queue}/messages/batch': queue({ messages: [{ body: 'a' }] }),
  'POST /v1/queues/{queue}/receive': queue({ max: 10 }),
  'GET /v1/queues/{queue}/recording': all(),
  'GET /v1/queues/{queue}/state': queue(undefined, '?at=1s', '?where=attempt:>0'),
  'GET /v1/queues/{queue}/batches': queue(),
  'GET /v1/queues/{queue}/diff': queue(undefined, '?a=1m'),
  'GET /v1/queues/{queue}/feed': queue(),
  'GET /v1/messages/{id}/trace': messages('/trace'),
  'GET /v1/messages/{id}/body': messages('/body?reveal=1'),
  'POST /v1/messages/{id}/body': messages('/body', { body: 'another' }),
  'POST /v1/messages/{id}/recall': messages('/recall'),
  'POST /v1/messages/{id}/reschedule': messages('/reschedule', { delayMs: 1 }),
  'POST /v1/messages/extend': receipts('extend', { leaseMs: 500_000 }),
  'POST /v1/messages/ack': receipts('ack'),
  'POST /v1/messages/retry': receipts('retry'),
  'POST /v1/messages/release': receipts('release'),
  'POST /v1/messages/dead-letter': receipts('dead-letter'),
  'GET /v1/state': urls('/v1/state', '/v1/state?at=1s'),
  'GET /v1/span': urls('/v1/span', '/v1/span?queue=orders'),
  'GET /v1/search': urls(
    ...[
      '',
      'queue:*',
      '-queue:orders*',
      'error:vault',
      '-error:vault',
      'redrives:>0',
      'payload.name:*',
      'state:final',
    ].map((q) => `/v1/search?limit=1000&q=${encodeURIComponent(q)}`),
  ),
  'GET /v1/acts': urls('/v1/acts', '/v1/acts?queue=vault-payroll'),
  'GET /v1/history': urls('/v1/history?by=queue', '/v1/history?queue=orders'),
  'POST /v1/matching/recall': matching('recall'),
  'POST /v1/matching/discard': matching('discard'),
  'GET /v1/feed': urls('/v1/feed'),
  'GET /v1/session': urls('/v1/session'),
  'GET /v1/cluster': all(),
  'POST /v1/cluster/finalize': all({}),
  'POST /v1/cluster/clock': all({ accept: 'nats' }),
  'DELETE /v1/queues/{queue}': queue(undefined, '?force=true'),
}

/** First what changes nothing, last what takes things away. */
const rankOf = (route: string): number =>
  route.startsWith('GET') ? 0 : route.startsWith('DELETE') || route.endsWith('purge') ? 2 : 1
const inOrder = Object.entries(routes).sort(([a], [b]) => rankOf(a) - rankOf(b))

const pathOf = (route: string, of: string): string =>
  route.replace(/^\w+ /, '').replace('{queue}', of).replace('{subscription}', 'main')

describe('somebody who is granted some queues', () => {
  it(
    '[SEC-05] finds no other queue on any route: not its name, not that it exists',
    { timeout },
    async () => {
      await using world = await createGrantedWorld()
      const { ask } = world
      const page = JSON.parse((await ask('ada', 'GET', '/openapi.json')).text) as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
      }
      const served = Object.entries(page.paths).flatMap(([url, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${url}`),
      )
      expect(served.sort()).toEqual(Object.keys(routes).sort())
      const before = (await ask('root', 'GET', '/v1/queues')).text
      expect(isTold(before)).toBe(true)

      for (const [route, how] of inOrder) {
        const method = route.split(' ')[0]!
        const asked: Asked[] =
          how.kind === 'some'
            ? [...how.asked(world)]
            : how.kind === 'all'
              ? [{ url: pathOf(route, 'orders'), body: how.body }]
              : ['', ...(how.queries ?? [])].flatMap((query) =>
                  ['orders', 'orders-dlq'].map((name) => ({
                    url: pathOf(route, name) + query,
                    body: how.body,
                  })),
                )
        for (const { url, body } of asked) {
          const { status, text } = await ask('ada', method, url, body)
          expect(isTold(text), `${method} ${url}: ${aroundTold(text)}`).toBe(false)
          expect(status, `${method} ${url}: ${text}`).toBeLessThan(500)
          if (how.kind === 'all') expect(status, `${method} ${url}: ${text}`).toBe(403)
        }
        if (how.kind !== 'queue') continue
        // A queue that is not granted is refused like one that does not exist, whatever is asked of it.
        const [vault, nothing] = await Promise.all(
          ['vault-payroll', 'nothing-here'].map((name) => ask('ada', method, pathOf(route, name), how.body)),
        )
        expect(vault!.status, route).toBe(403)
        expect(vault!.text.replaceAll('vault-payroll', 'nothing-here')).toBe(nothing!.text)
      }
      const { text } = await ask('ada', 'GET', '/metrics')
      expect(text).toContain('queue="orders-quiet"')
      expect(isTold(text)).toBe(false)
      const vault = (list: string) =>
        (JSON.parse(list) as { queues: { name: string; counts: object }[] }).queues
          .filter(({ name }) => isTold(name))
          .map(({ name, counts }) => [name, counts])
      expect(vault((await ask('root', 'GET', '/v1/queues')).text)).toEqual(vault(before))
    },
  )

  it(
    '[SEC-05] is told of messages elsewhere what is told of those that do not exist, and of a message here nothing of other queues that it passed',
    { timeout },
    async () => {
      await using world = await createGrantedWorld()
      const { ask, ids } = world
      const json = async (...asked: Parameters<typeof ask>): Promise<never> =>
        JSON.parse((await ask(...asked)).text) as never

      // Whatever is asked of a message or a delivery in `vault-payroll`, and of one of a queue that never was.
      const elsewhere = (id: string): string => id.replace(/^(\w+-\w+)-\w+-/, '$1-zz-')
      const plain = (text: string): string =>
        text.replace(/\w+(-\w+){3,5}/g, 'ID').replace(/in queue \d+/, 'in queue N')
      for (const [method, suffix, body] of [
        ['GET', '/trace'],
        ['GET', '/body'],
        ['POST', '/body', { body: 'another' }],
        ['POST', '/recall'],
        ['POST', '/reschedule', { delayMs: 1 }],
      ] as const)
        for (const id of [ids.vault, ids.vaultDelayed]) {
          const [there, nowhere] = await Promise.all(
            [id, elsewhere(id)].map((each) => ask('ada', method, `/v1/messages/${each}${suffix}`, body)),
          )
          expect(there!.status, `${method} ${suffix}`).toBe(404)
          expect(plain(there!.text)).toBe(plain(nowhere!.text))
        }
      for (const verdict of ['ack', 'retry', 'release', 'dead-letter', 'extend']) {
        const more = verdict === 'extend' ? { leaseMs: 1 } : {}
        const of = (receipt: string) =>
          ask('ada', 'POST', `/v1/messages/${verdict}`, { receipts: [receipt], ...more })
        const there = await of(world.receipts.vault)
        expect(there.text).toContain('UnknownReceipt')
        expect(plain(there.text)).toBe(plain((await of(elsewhere(world.receipts.vault))).text))
      }
      for (const url of ['/v1/span?queue=', '/v1/history?queue='])
        expect((await ask('ada', 'GET', `${url}vault-payroll`)).status).toBe(403)

      // Of the hops of a message those through `orders` are left.
      const over: { steps: { queue: string; event: string; target?: object; from?: object }[] } = await json(
        'vera',
        'GET',
        `/v1/messages/${ids.overVault}/trace`,
      )
      expect(over.steps.map(({ event }) => event)).toEqual([
        'Enqueued',
        'Delivered',
        'DeadLettered',
        'ForwardReceived',
      ])
      expect(over.steps.filter(({ target, from }) => target !== undefined || from !== undefined)).toEqual([])
      const letter = await json('oli', 'GET', `/v1/messages/${ids.fromVault}/body`)
      expect(letter).toMatchObject({
        payload: { text: '{"name":"Snow White"}' },
        lineage: { messageId: ids.fromVault },
      })
      const got = await json('oli', 'POST', '/v1/queues/orders-dlq/receive', { max: 1 })
      expect(got).toMatchObject({
        messages: [{ body: { name: 'Snow White' }, lineage: { messageId: ids.fromVault } }],
      })
      expect(isTold(JSON.stringify([letter, got]))).toBe(false)
      // Nor is anything found by what another queue gave it up for.
      const found = async (who: 'root' | 'oli' | 'vera', q: string): Promise<number> =>
        ((await json(who, 'GET', `/v1/search?q=${encodeURIComponent(q)}`)) as { messages: [] }).messages
          .length
      expect(await found('root', 'error:vault')).toBe(1)
      for (const who of ['oli', 'vera'] as const) {
        expect(await found(who, 'error:vault')).toBe(0)
        expect(await found(who, 'queue:orders-dlq')).toBe(1)
      }
      const letters = async (who: 'root' | 'vera') =>
        (await ask(who, 'GET', '/v1/queues/orders-dlq/dead-letters')).text
      expect(await letters('root')).toContain('the vault is shut')
      expect(await letters('vera')).toContain(ids.fromVault)
    },
  )

  it(
    '[SEC-05] acts with its role there, and sends nothing elsewhere by a setting or a redrive',
    { timeout },
    async () => {
      await using world = await createGrantedWorld()
      const { ask, ids, receipts: given } = world
      const status = async (...asked: Parameters<typeof ask>): Promise<number> => (await ask(...asked)).status
      for (const [who, allowed] of [
        ['vera', [200, 403, 403]],
        ['oli', [200, 200, 403]],
        ['ada', [200, 200, 204]],
      ] as const)
        expect(
          [
            await status(who, 'GET', '/v1/queues/orders'),
            await status(who, 'POST', '/v1/queues/orders/messages', { body: 'a' }),
            await status(who, 'POST', '/v1/queues/orders/pause'),
          ],
          who,
        ).toEqual(allowed)

      // With another role on everything, the higher one counts on each queue.
      expect(await status('both', 'GET', '/v1/queues/vault-payroll')).toBe(200)
      expect(await status('both', 'POST', '/v1/queues/vault-payroll/messages', { body: 'a' })).toBe(403)
      expect(await status('both', 'POST', '/v1/queues/orders/messages', { body: 'a' })).toBe(200)
      expect(await status('both', 'GET', '/v1/cluster')).toBe(200)
      const acked = await ask('both', 'POST', '/v1/messages/ack', { receipts: [given.vault, given.orders] })
      expect(JSON.parse(acked.text)).toMatchObject({
        results: [{ receipt: given.vault, error: { id: 'Forbidden' } }, { receipt: given.orders }],
      })
      expect(acked.text.match(/error/g)).toHaveLength(1)
      expect(await status('both', 'POST', `/v1/messages/${ids.vaultDelayed}/recall`)).toBe(403)
      const settled = await ask('both', 'POST', '/v1/matching/recall', { where: 'state:delayed' })
      expect(JSON.parse(settled.text)).toMatchObject({ done: 1 })

      for (const deadLetter of ['vault-payroll', 'vault-new']) {
        expect(await status('ada', 'PATCH', '/v1/queues/orders-quiet', { deadLetter })).toBe(403)
        expect(
          await status('ada', 'POST', '/v1/queues', { name: 'orders-b', settings: { deadLetter } }),
        ).toBe(403)
        const subscription = { name: 'b', settings: { deadLetter } }
        expect(await status('ada', 'POST', '/v1/queues/orders/subscriptions', subscription)).toBe(403)
        expect(await status('ada', 'POST', '/v1/queues/orders-dlq/redrives', { to: deadLetter })).toBe(403)
        expect(await status('ada', 'POST', '/v1/queues', { name: deadLetter })).toBe(403)
      }
      expect(await status('ada', 'PATCH', '/v1/queues/orders-quiet', { deadLetter: 'orders-lost' })).toBe(200)
      const session = JSON.parse((await ask('both', 'GET', '/v1/session')).text) as object
      expect(session).toMatchObject({
        role: 'viewer',
        grants: { queues: [{ role: 'operator', queues: 'orders*' }] },
      })
    },
  )
})
