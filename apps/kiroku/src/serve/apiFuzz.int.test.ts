import { temporaryFolder, withNats } from '@kiroku/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ApiFuzz } from '../testing/ApiFuzz.ts'
import { Kiroku, readyOf } from '../testing/Kiroku.ts'

const nats = withNats()
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let kiroku: Kiroku

beforeEach(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
})

afterEach(async () => {
  await kiroku.killAll()
  await folder.remove()
})

/** Requests per seed, and concurrent requests. */
const requestsPerSeed = 1_500
const atOnce = 6

it.each([1, 2])(
  'whatever the request, the API answers according to its schema or with an error of Kiroku, never a 500 (seed %d)',
  { timeout: 180_000 },
  async (seed) => {
    const args = ['--nats', nats().url, '--log', `fuzz-${seed}`, '--partitions', '3', '--http', '127.0.0.1:0']
    const engine = kiroku.start(['serve', ...args, '--json'])
    const { api } = await readyOf(engine)
    const fuzz = new ApiFuzz(seed)
    const wrong: string[] = []
    const statuses = new Set<number>()
    let left = requestsPerSeed
    const ask = async (): Promise<void> => {
      while (left-- > 0) {
        const { method, path, body } = fuzz.next()
        const response = await fetch(api + path, {
          method,
          ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
        })
        const text = await response.text()
        const { status, headers } = response
        statuses.add(status)
        const told = `${status} ${method} ${path.slice(0, 200)} ${body?.slice(0, 200) ?? ''}: ${text.slice(0, 300)}`
        // Node refuses header fields, the path among them, that are too long, before the API sees them.
        if (status === 204 || status === 431) continue
        const isJson = headers.get('content-type')?.startsWith('application/json') === true
        const answer = isJson
          ? (JSON.parse(text) as { readonly id?: string; readonly missing?: unknown[] })
          : {}
        if (status === 500 || (status >= 400 && typeof answer.id !== 'string')) wrong.push(told)
        if (path === '/v1/queues' && method === 'GET' && answer.missing?.length !== 0) wrong.push(told)
        if (status === 200 && isJson) fuzz.learn(path, answer)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, ask))
    expect(wrong).toEqual([])
    expect(engine.stderr()).not.toMatch(/ERROR|request failed/)
    // The run covered its purpose: answers of every kind.
    for (const status of [200, 204, 400, 404, 409]) expect(statuses).toContain(status)
  },
)
