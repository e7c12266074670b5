import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import { readyOf } from '../../testing/Kiroku.ts'
import { withKiroku } from '../../testing/withKiroku.ts'

const kiroku = withKiroku()

it('a partition is pinned to its host and unpinned again, and the status shows zone, weight, pin and reason', async () => {
  const up = ['up', '--http', '127.0.0.1:0', '--zone', 'cellar', '--weight', '2', '--json']
  await readyOf(kiroku().start(up))
  const json = async (...args: string[]) => {
    const done = await kiroku().run(['cluster', ...args, '--json'])
    expect(done.exit, done.stderr).toBe(0)
    return done.json() as Record<string, unknown>
  }
  expect(await json('pin', '1', '--reason', 'it is large')).toEqual({
    partition: 1,
    host: hostname(),
    heedless: [],
  })
  const status = await json('status')
  expect(status).toMatchObject({
    nodes: [{ zone: 'cellar', weight: 2 }],
    partitions: [{}, { pin: { host: hostname(), by: { reason: 'it is large' } } }, {}, {}],
  })
  const shown = await kiroku().run(['cluster', 'status'])
  expect(shown.stdout).toContain('cellar')
  expect(shown.stdout).toContain(`${hostname()} (by `)
  expect(await json('unpin', '1')).toEqual({ partition: 1, wasPinned: true })
  expect(await json('unpin', '1')).toEqual({ partition: 1, wasPinned: false })
  for (const [wrong, says] of [
    ['first', '"first" is not the number of a partition'],
    ['9', 'which has 4, from 0'],
  ] as const) {
    const refused = await kiroku().run(['cluster', 'pin', wrong])
    expect(refused.exit).toBe(2)
    expect(refused.stderr).toContain(says)
  }
})
