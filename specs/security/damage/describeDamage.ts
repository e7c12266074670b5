import { generateKeyPairSync } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { connect } from '@kiroku/client-nats'
import { managedStatus } from '@kiroku/nats-server'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { CommandLine } from '../CommandLine.ts'
import { damages, type Damage } from './damages.ts'
import { filesIn } from './ownFiles.ts'

const args = [
  'up',
  '--log-level',
  'warn',
  '--partitions',
  '2',
  '--anchors',
  '.kiroku/anchors.ndjson',
  '--anchor-key',
  'anchors.pem',
]

/** How many messages each queue has, and how many of them are done. */
const sent = 20
const done = 5

type Engine = Awaited<ReturnType<CommandLine['engine']>>

/** Queues of either kind with messages, an anchored record, and a client that was let in; then nothing runs. */
const fill = async (cli: CommandLine): Promise<void> => {
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(path.join(cli.folder, 'anchors.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const engine = await cli.engine(args)
  const client = await connect({ servers: engine.nats })
  await client.queues.create('orders')
  await client.queues.create('mail', { erasable: 'message' })
  for (const queue of ['orders', 'mail']) {
    await client.sendBatch(
      queue,
      Array.from({ length: sent }, (_, n) => ({ body: `${queue} ${n}` })),
    )
    for (const message of await client.receive(queue, { max: done })) await message.ack()
  }
  await client.close()
  await cli.output('client', 'add', 'shop')
  await waitUntil(() => filesIn(cli.dataDir).some(({ name }) => name === 'anchors.ndjson'), {
    timeoutMs: 30_000,
  })
  await stop(cli, engine)
}

const stop = async (cli: CommandLine, { child }: Engine): Promise<void> => {
  child.kill('SIGTERM')
  await waitUntil(() => child.exitCode !== null || child.signalCode !== null, { timeoutMs: 30_000 })
  const keeper = managedStatus(cli.dataDir)?.keeperPid
  if (keeper !== undefined) process.kill(keeper, 'SIGTERM')
  await waitUntil(() => managedStatus(cli.dataDir) === undefined, { timeoutMs: 60_000 })
}

/** Starts an engine, and does what it says until it runs. Returns it, and the files that it named. */
const startAsTold = async (
  cli: CommandLine,
): Promise<{ readonly engine: Engine; readonly named: string[] }> => {
  const named: string[] = []
  for (;;)
    try {
      return { engine: await cli.engine(args), named: named.toSorted() }
    } catch (error) {
      const said = (error as Error).message
      const file = /error InvalidConfig: (?:the key in )?(\S+) (?:cannot be read|is a folder)/.exec(said)?.[1]
      // What it names is there, and was not named before.
      expect(file, said).toBeDefined()
      rmSync(file!, { recursive: true })
      named.push(path.relative(cli.dataDir, file!))
    }
}

/** Everything that was acknowledged is there, with as many more orders. */
const holds = async (cli: CommandLine, { nats }: Engine, more = 0): Promise<void> => {
  const client = await connect({ servers: nats })
  try {
    for (const [queue, extra] of [
      ['orders', more],
      ['mail', 0],
    ] as const) {
      const { counts } = await client.queues.describe(queue)
      const expected = { sent: sent + extra, committed: done, available: sent + extra - done }
      expect(counts, queue).toMatchObject(expected)
      const messages = await client.receive(queue, { max: 100 })
      expect(messages.map((message) => message.text())).toEqual(
        Array.from({ length: sent - done + extra }, (_, n) => `${queue} ${n + done}`),
      )
      await client.release(messages.map(({ receipt }) => receipt))
    }
  } finally {
    await client.close()
  }
  const found = async () => {
    const { exit, stdout, stderr } = await cli.run('search', 'state:committed', '--json')
    const lock = /(\S+writer\.lock) is a folder/.exec(stdout + stderr)?.[1]
    if (lock !== undefined) rmSync(lock, { recursive: true, force: true })
    return exit === 0 && (JSON.parse(stdout) as { readonly messages: unknown[] }).messages.length
  }
  await waitUntil(async () => (await found()) === 2 * done, { timeoutMs: 60_000, what: 'the index is there' })
}

const namedAmong = (files: ReturnType<typeof filesIn>, damage: Damage): string[] =>
  files.flatMap(({ name, own }) => (own.named?.includes(damage) === true ? [name] : []))

/** Damages that leave a note of the end there, and no note. */
const spoilsNotes: ReadonlySet<Damage> = new Set(['flipped', 'cut short', 'garbage', 'empty', 'a folder'])

/**
 * The spec of one damage: all files of a data folder suffer it at once, first while nothing runs and then while an engine does.
 * Nothing that was acknowledged is lost, and an engine that does not start names the file.
 */
export const describeDamage = (damage: Damage): void => {
  it(`[ENG-15] where every file of a data folder but the store is ${damage}, nothing is lost, and it heals or says what to do`, async () => {
    await using cli = await CommandLine.open()
    await fill(cli)
    const atRest = filesIn(cli.dataDir).filter(({ own }) => own.elsewhere === undefined)
    for (const { name } of atRest) damages[damage](path.join(cli.dataDir, name))
    const first = await startAsTold(cli)
    expect(first.named).toEqual(namedAmong(atRest, damage))
    await holds(cli, first.engine)
    expect(await cli.output('verify')).toContain('sent 40 = live 30 + committed 10')
    if (spoilsNotes.has(damage)) expect(first.engine.stderr()).toContain('note of the end ignored file=tail-')

    const running = filesIn(cli.dataDir).filter(
      ({ own }) => own.elsewhere === undefined && (own.isSocket !== true || damage === 'missing'),
    )
    const client = await connect({ servers: first.engine.nats })
    for (const { name } of running) damages[damage](path.join(cli.dataDir, name))
    await client.send('orders', `orders ${sent}`)
    await client.close()
    first.engine.child.kill('SIGTERM')
    await waitUntil(() => first.engine.child.exitCode !== null, { timeoutMs: 30_000 })
    expect(first.engine.child.exitCode).toBe(0)
    const second = await startAsTold(cli)
    expect(second.named).toEqual(namedAmong(running, damage))
    await holds(cli, second.engine, 1)
  }, 240_000)
}
