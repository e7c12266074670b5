import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { waitUntil } from '@kiroku/testkit'
import { CommandLine } from './CommandLine.ts'

/** Who calls: one without limits, and those who may know of queues whose names begin with `orders` alone. */
const roles = {
  root: 'admin',
  ada: 'admin@orders*',
  oli: 'operator@orders*',
  vera: 'viewer@orders*',
  /** Sees everything, and handles some. */
  both: 'viewer+operator@orders*',
} as const

/** A caller. */
type Caller = keyof typeof roles

/** An answer as somebody got it. */
interface Told {
  readonly status: number
  readonly text: string
}

/** An engine with queues `orders…`, which callers are granted, and `vault…`, which they are not. */
export interface GrantedWorld extends AsyncDisposable {
  readonly ask: (who: Caller, method: string, url: string, body?: unknown) => Promise<Told>
  /** Ids of messages, and receipts of deliveries, by where they are now. */
  readonly ids: {
    readonly orders: string
    readonly delayed: string
    /** In `orders-dlq`, from `vault-payroll`. */
    readonly fromVault: string
    /** In `orders`, over `vault-letters`. */
    readonly overVault: string
    /** In `vault-payroll`. */
    readonly vault: string
    readonly vaultDelayed: string
  }
  readonly receipts: { readonly orders: string; readonly vault: string }
}

interface Received {
  readonly messages: readonly { readonly receipt: string }[]
}

/** Starts the engine, and fills its queues. */
export const createGrantedWorld = async (): Promise<GrantedWorld> => {
  await using building = new AsyncDisposableStack()
  const cli = building.use(await CommandLine.open())
  const file = path.join(cli.folder, 'tokens')
  await writeFile(
    file,
    Object.entries(roles)
      .map(([name, role]) => `${name}:${role}:the-token-of-${name}`)
      .join('\n'),
  )
  const engine = await cli.engine(['up', '--tokens-file', file, '--partitions', '2'])
  const ask: GrantedWorld['ask'] = async (who, method, url, body) => {
    const leaving = new AbortController()
    const response = await fetch(engine.api + url, {
      method,
      signal: leaving.signal,
      headers: {
        authorization: `Bearer the-token-of-${who}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const isFeed = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
    // A feed never ends: its first event has everything.
    const text = isFeed
      ? new TextDecoder().decode((await response.body!.getReader().read()).value)
      : await response.text()
    leaving.abort()
    return { status: response.status, text }
  }
  const act = async <A>(method: string, url: string, body?: unknown): Promise<A> => {
    const { status, text } = await ask('root', method, url, body)
    if (status >= 300) throw new Error(`${method} ${url}: ${status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as A
  }
  const create = (name: string, settings = {}) => act('POST', '/v1/queues', { name, settings })
  const send = async (queue: string, delayMs?: number): Promise<string> =>
    (
      await act<{ messageId: string }>('POST', `/v1/queues/${queue}/messages`, {
        body: { name: 'Snow White' },
        ...(delayMs === undefined ? {} : { delayMs }),
      })
    ).messageId
  const receive = async (queue: string): Promise<string> => {
    const asked = { max: 1, waitMs: 5_000, leaseMs: 600_000 }
    return (await act<Received>('POST', `/v1/queues/${queue}/receive`, asked)).messages[0]!.receipt
  }
  const giveUp = async (queue: string, error: string) =>
    act('POST', '/v1/messages/dead-letter', {
      receipts: [await receive(queue)],
      error,
    })
  const until = (queue: string, available: number) =>
    waitUntil(
      async () =>
        (await act<{ counts: { available: number } }>('GET', `/v1/queues/${queue}`)).counts.available ===
        available,
      { timeoutMs: 30_000 },
    )

  await create('vault-letters')
  await create('orders-dlq')
  await create('vault-payroll', { deadLetter: 'orders-dlq' })
  await create('orders', { deadLetter: 'vault-letters' })
  await create('orders-quiet', { deadLetter: 'orders-dlq' })
  const fromVault = await send('vault-payroll')
  await giveUp('vault-payroll', 'the vault is shut')
  await until('orders-dlq', 1)
  const overVault = await send('orders')
  await giveUp('orders', 'no reply')
  await until('vault-letters', 1)
  await act('POST', '/v1/queues/vault-letters/redrives', { reason: 'the vault is open' })
  await until('orders', 1)
  const orders = await send('orders-quiet')
  const ids = {
    ...{ fromVault, overVault, orders },
    delayed: await send('orders', 3_600_000),
    vaultDelayed: await send('vault-payroll', 3_600_000),
    vault: await send('vault-payroll'),
  }
  const receipts = { vault: await receive('vault-payroll'), orders: await receive('orders-quiet') }
  await waitUntil(
    async () => {
      const { status, text } = await ask('root', 'GET', '/v1/search?q=state:inflight')
      return status === 200 && text.includes(ids.vault) && text.includes(ids.orders)
    },
    { timeoutMs: 60_000 },
  )
  const made = building.move()
  return { ask, ids, receipts, [Symbol.asyncDispose]: () => made.disposeAsync() }
}
