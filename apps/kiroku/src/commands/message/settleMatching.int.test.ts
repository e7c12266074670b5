import { temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Kiroku, readyOf, type Running } from '../../testing/Kiroku.ts'

let folder: TemporaryFolder
let kiroku: Kiroku
let engine: Running
let api: string

beforeAll(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json'])
  api = ((await readyOf(engine)) as unknown as { api: string }).api
})

afterAll(async () => {
  engine.child.kill('SIGTERM')
  await engine.finished
  await kiroku.killAll()
  await folder.remove()
})

const ok = async (args: string[]): Promise<Record<string, unknown>> => {
  const done = await kiroku.run([...args, '--json'])
  expect(done.exit, done.stderr).toBe(0)
  return done.json() as Record<string, unknown>
}

const counts = async (queue: string) => {
  const { counts: found } = (await ok(['queue', 'show', queue])) as { counts: Record<string, number> }
  return found
}

/** Waits until this many messages in the index match. */
const indexed = (filter: string, count: number) =>
  waitUntil(
    async () => ((await ok(['search', filter])) as { messages: unknown[] }).messages.length === count,
    {
      timeoutMs: 30_000,
    },
  )

interface Piece {
  readonly matched: number
  readonly done: number
  readonly stayed: Record<string, number>
  readonly cursor?: string
}

const settle = async (act: string, body: object): Promise<Piece> => {
  const response = await fetch(`${api}/v1/matching/${act}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-kiroku-reason': 'they are stale' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Piece
}

describe('messages that match a filter', { timeout: 120_000 }, () => {
  it('are counted, and discarded except those in flight, with the reason on record', async () => {
    await ok(['queue', 'create', 'payments'])
    await ok(['send', 'payments', 'hello', '--count', '7'])
    await ok(['send', 'payments', 'later', '--delay', '1h'])
    await ok(['receive', 'payments', '--max', '2', '--lease', '10m'])
    await indexed('queue:payments state:inflight', 2)
    const dry = await kiroku.run(['discard', '--where', 'queue:payments', '--dry-run'])
    expect(dry.stdout).toBe('8 messages match: 6 can be discarded, 2 cannot: 2 are in flight\n')
    expect(await counts('payments')).toMatchObject({ available: 5, delayed: 1 })
    const asked = await kiroku.run(['discard', '--where', 'queue:payments'])
    expect(asked.stderr).toContain('not a terminal: pass --yes to discard, or --dry-run')
    const where = ['--where', 'queue:payments', '--reason', 'they are stale', '--yes']
    expect(await ok(['discard', ...where])).toEqual({ matched: 8, done: 6, stayed: { Inflight: 2 } })
    expect(await counts('payments')).toMatchObject({ available: 0, delayed: 0, inflight: 2, discarded: 6 })
    const { acts } = (await ok(['acts', '--queue', 'payments'])) as {
      acts: { event: string; by: { reason?: string }; after: { messages?: number } }[]
    }
    expect(
      acts
        .filter(({ by }) => by.reason === 'they are stale')
        .map(({ event }) => event)
        .toSorted(),
    ).toEqual(['Discarded', 'Recalled'])
    expect(acts.find(({ event }) => event === 'Discarded')).toMatchObject({ after: { messages: 5 } })
  })

  it('are recalled if they are not due yet, and left alone if they changed since they were found', async () => {
    await ok(['queue', 'create', 'reminders'])
    await ok(['send', 'reminders', 'later', '--count', '3', '--delay', '1h'])
    await ok(['send', 'reminders', 'now'])
    await indexed('queue:reminders', 4)
    const asked = { where: 'queue:reminders' }
    expect(await settle('recall', { ...asked, dryRun: true })).toEqual({
      matched: 4,
      done: 3,
      stayed: { Available: 1 },
    })
    expect(await settle('recall', asked)).toMatchObject({ done: 3 })
    expect(await counts('reminders')).toMatchObject({ delayed: 0, available: 1, discarded: 3 })
    expect((await kiroku.run(['recall', '--where', 'queue:reminders', '--dry-run'])).stdout).toMatch(
      /^\d messages? match/,
    )
  })

  it('are many: each request does a batch, and says where to continue', async () => {
    await ok(['queue', 'create', 'logs'])
    await ok(['send', 'logs', 'x', '--count', '1200'])
    await waitUntil(async () => {
      let [matched, cursor]: [number, string | undefined] = [0, undefined]
      do {
        const piece: Piece = await settle('discard', {
          where: 'queue:logs',
          dryRun: true,
          ...(cursor === undefined ? {} : { cursor }),
        })
        ;[matched, cursor] = [matched + piece.matched, piece.cursor]
      } while (cursor !== undefined)
      return matched === 1_200
    })
    let [done, cursor]: [number, string | undefined] = [0, undefined]
    do {
      const piece: Piece = await settle('discard', {
        where: 'queue:logs',
        ...(cursor === undefined ? {} : { cursor }),
      })
      ;[done, cursor] = [done + piece.done, piece.cursor]
    } while (cursor !== undefined)
    expect(done).toBe(1_200)
    expect(await counts('logs')).toMatchObject({ available: 0, discarded: 1_200 })
  })

  it('must be given: nothing is done to all messages', async () => {
    const { exit, stderr } = await kiroku.run(['discard', '--yes'])
    expect(stderr).toContain('say which messages are meant')
    expect(exit).toBe(2)
    expect(await settle('discard', { where: ' ' })).toMatchObject({ id: 'InvalidArgument' })
    expect((await kiroku.run(['recall'])).stderr).toContain('either a message id or --where FILTER')
  })
})
