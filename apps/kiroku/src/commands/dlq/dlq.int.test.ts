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
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json', '--log-format', 'json'])
  ;({ api } = await readyOf(engine))
})

afterAll(async () => {
  engine.child.kill('SIGTERM')
  await engine.finished
  await kiroku.killAll()
  await folder.remove()
})

const ok = async <A>(...args: string[]): Promise<A> => {
  const finished = await kiroku.run([...args, '--json'])
  expect([finished.stderr, finished.exit]).toEqual(['', 0])
  return finished.json()
}
const availableIn = async (queue: string): Promise<number> =>
  (await ok<{ counts: { available: number } }>('queue', 'show', queue)).counts.available

interface Listed {
  readonly count: number
  readonly groups: readonly { readonly group: string; readonly count: number; readonly samples: string[] }[]
}

describe('the dlq commands', () => {
  it('list and explain dead letters, and redrive some of them', { timeout: 120_000 }, async () => {
    await ok('queue', 'create', 'orders', '--retries', '0', '--dead-letter', 'orders-dlq')
    for (const body of ['{"n":1}', '{"n":2}', '{"n":3}']) await ok('send', 'orders', body)
    await ok('receive', 'orders', '--max', '3', '--lease', '1ms')
    await waitUntil(async () => (await availableIn('orders-dlq')) === 3)
    await ok('send', 'orders-dlq', 'sent here')

    const { count, groups } = await ok<Listed>('dlq', 'list', 'orders-dlq')
    expect([count, groups.map((each) => each.count)]).toEqual([4, [3, 1]])
    const [{ group, samples }] = groups as [Listed['groups'][0]]
    const table = (await kiroku.run(['dlq', 'list', 'orders-dlq'])).stdout
    expect(table).toMatch(/^group +count +came back +from +first +last +cause +error\n/)
    expect(table).toContain(`${group}  3`)

    const story = (await kiroku.run(['dlq', 'explain', samples[0]!])).stdout
    expect(story).toContain('Attempt 1 in orders')
    expect(story).toContain(`kiroku dlq redrive orders-dlq --message ${samples[0]}`)
    const grouped = (await kiroku.run(['dlq', 'explain', 'orders-dlq', '--group', group.slice(0, 5)])).stdout
    expect(grouped).toContain(`group ${group} of orders-dlq: 3 messages`)
    expect(grouped).toContain('7 bytes: {"n":3}')
    const largest = (await kiroku.run(['dlq', 'explain', 'orders-dlq'])).stdout
    expect(largest.startsWith(grouped)).toBe(true)
    const [, { group: other }] = groups as [Listed['groups'][0], Listed['groups'][0]]
    expect(largest.slice(grouped.length)).toMatch(
      new RegExp(
        `^\\none more group:\\n +kiroku dlq explain orders-dlq --group ${other} +1 message +sent\\n$`,
      ),
    )
    expect(await ok('dlq', 'explain', 'orders-dlq')).toMatchObject({ group, others: [{ group: other }] })

    // The auditor's process reads them for the API.
    const listed = await fetch(`${api}/v1/queues/orders-dlq/dead-letters`)
    expect(await listed.json()).toMatchObject({ count: 4, groups: [{ group, count: 3, samples }, {}] })

    const dry = (await kiroku.run(['dlq', 'redrive', 'orders-dlq', '--dry-run'])).stdout
    expect(dry).toMatch(/^4 match, 3 eligible, 1 not, because\n +1 +not dead letters/)
    const unasked = await kiroku.run(['dlq', 'redrive', 'orders-dlq', '--message', samples[0]!])
    expect([unasked.exit, await availableIn('orders-dlq')]).toEqual([2, 4])
    expect(unasked.stderr).toContain('--yes')

    const one = await ok<object>(
      ...['dlq', 'redrive', 'orders-dlq', '--message', samples[0]!, '--yes', '--reason', 'try again'],
    )
    expect(one).toMatchObject({
      match: 1,
      eligible: 1,
      redrives: [{ state: 'completed', moved: 1, selected: 1, by: { reason: 'try again' } }],
    })
    const edit = ['dlq', 'edit', samples[1]!]
    expect(await ok(...edit, '--set', 'price=3,note=in words', '--reason', 'no price')).toMatchObject({
      queue: 'orders-dlq',
      isEdited: true,
      before: { text: '{"n":2}' },
      after: { text: '{"n":2,"price":3,"note":"in words"}' },
    })
    expect((await kiroku.run([...edit, '--body', '-'], '{"n":2,"price":4}')).stdout).toContain('"price":4')
    expect((await kiroku.run(edit)).exit).toBe(2)
    expect((await kiroku.run(['dlq', 'explain', samples[1]!])).stdout).toMatch(
      /Its body was edited by .*, because: no price\.\n[^]*body: 7 bytes: {"n":2}\nedited: /,
    )
    const nothing = async (dryRun: boolean): Promise<unknown> => {
      const answer = await fetch(`${api}/v1/queues/orders-dlq/redrives`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ where: 'payload.n:9', dryRun }),
      })
      return answer.json()
    }
    expect(await nothing(true)).toMatchObject({ dryRun: true, selected: 0, moved: 0 })
    expect(await nothing(false)).toMatchObject({ id: 'InvalidArgument' })
    const where = ['--where', 'payload.n:1 since:1h']
    expect(await ok('dlq', 'redrive', 'orders-dlq', ...where, '--yes')).toMatchObject({ match: 1 })
    expect((await kiroku.run(['dlq', 'redrive', 'orders-dlq', '--where', 'nonsense'])).exit).toBe(2)
    expect(await ok('dlq', 'redrive', 'orders-dlq', '--group', group, '--yes')).toMatchObject({
      redrives: [{ moved: 1 }],
    })
    await waitUntil(async () => (await availableIn('orders')) === 3)
    expect(await ok('dlq', 'list', 'orders-dlq')).toMatchObject({ count: 1, groups: [{ count: 1 }] })
    expect(await ok('dlq', 'redrive', 'orders-dlq', '--group', group, '--yes')).toMatchObject({ match: 0 })
  })

  it('report wrong arguments', { timeout: 60_000 }, async () => {
    await ok('queue', 'create', 'empty')
    expect((await kiroku.run(['dlq', 'list', 'empty'])).stdout).toBe('queue empty is empty\n')
    expect((await kiroku.run(['dlq', 'list', 'none'])).exit).toBe(3)
    expect((await kiroku.run(['dlq', 'explain', 'empty'])).stdout).toBe('queue empty is empty\n')
    expect((await kiroku.run(['dlq', 'explain', 'empty', '--group', 'abc'])).exit).toBe(2)
  })
})
