import { spawn, type ChildProcess } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownRoot } from '../LoadProcess.ts'

/** An engine whose record is read. */
export interface ReadEngine {
  /** Where its API is. */
  readonly api: string
  readonly nats: string
  readonly dataDir: string
  readonly queue: string
}

/** A reader that reads repeatedly until stopped. */
export interface Reader {
  readonly name: string
  /** Begins; resolves when it is at work. */
  readonly start: (engine: ReadEngine) => Promise<RunningReader>
}

/** A reader at work. */
interface RunningReader {
  /** Ends it, and returns how many requests succeeded. Errors: those that it met. */
  readonly stop: () => Promise<number>
}

const kiroku = join(ownRoot, 'apps/kiroku/bin/kiroku.mjs')

/** Pause of a reader between two requests, in ms. */
const lookMs = 250

/** What a command takes to load its code, in ms; that is no reading. */
const loadMs = 3_000

/** A command that is run over and over. */
const command = (name: string, args: (queue: string) => readonly string[]): Reader => ({
  name,
  start: async ({ nats, dataDir, queue }) => {
    let [count, isStopped] = [0, false]
    let child: ChildProcess | undefined
    const reading = (async () => {
      while (!isStopped) {
        const target = ['--nats', nats, '--data-dir', dataDir]
        child = spawn(process.execPath, [kiroku, ...args(queue), ...target], {
          stdio: ['ignore', 'ignore', 'inherit'],
        })
        if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
        const exit = await new Promise((resolve) => child!.once('exit', resolve))
        if (isStopped) return
        if (exit !== 0) throw new Error(`kiroku ${name} ended with ${String(exit)}`)
        count++
      }
    })()
    await Promise.race([sleep(loadMs), reading])
    return {
      stop: async () => {
        isStopped = true
        child?.kill('SIGKILL')
        await reading
        return count
      },
    }
  },
})

/** Questions to the API, each asked when the one before it is answered; what one answers is given to the next. */
const questions = (name: string, ask: (engine: ReadEngine, before: unknown) => string): Reader => ({
  name,
  start: (engine) => {
    let [count, isStopped] = [0, false]
    let answer: unknown
    const reading = (async () => {
      while (!isStopped) {
        answer = await (await answered(engine.api + ask(engine, answer))).json()
        count++
        await sleep(lookMs)
      }
    })()
    return Promise.resolve({
      stop: async () => {
        isStopped = true
        await reading
        return count
      },
    })
  },
})

/** A feed, of which every message is read. */
const feed = (name: string, path: (queue: string) => string): Reader => ({
  name,
  start: async ({ api, queue }) => {
    const stopping = new AbortController()
    const { body } = await answered(api + path(queue), stopping.signal)
    const chunks = body!.getReader()
    let count = 0
    await chunks.read()
    const reading = (async () => {
      while (!(await chunks.read()).done) count++
    })().catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error
    })
    return {
      stop: async () => {
        stopping.abort()
        await reading
        return count
      },
    }
  },
})

const answered = async (url: string, signal?: AbortSignal): Promise<Response> => {
  const response = await fetch(url, signal === undefined ? {} : { signal })
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`)
  return response
}

/** A message that a search found, to trace it. */
const found = (answer: unknown): string | undefined =>
  (answer as { messages?: readonly { messageId: string }[] } | undefined)?.messages?.[0]?.messageId

/** All readers: those that follow, query, replay and check. */
export const readers: readonly Reader[] = [
  feed('the feed of all queues', () => '/v1/feed'),
  feed('the feed of one queue', (queue) => `/v1/queues/${queue}/feed`),
  command('tail', (queue) => ['tail', queue, '--state', '--gentle']),
  questions('states of a moment', ({ queue }) => `/v1/queues/${queue}/state?at=2s`),
  questions('searches and traces', ({ queue }, before) => {
    const id = found(before)
    return id === undefined ? `/v1/search?q=queue:${queue}&limit=20` : `/v1/messages/${id}/trace`
  }),
  command('replay', (queue) => ['replay', queue, '--from', '1h', '--speed', 'max', '--gentle']),
  command('verify', () => ['verify', '--gentle']),
]
