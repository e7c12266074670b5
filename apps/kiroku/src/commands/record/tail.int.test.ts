import { waitUntil, withNats } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { readyOf } from '../../testing/Kiroku.ts'
import { withKiroku } from '../../testing/withKiroku.ts'

const nats = withNats()
const kiroku = withKiroku()

const args = (...own: string[]) => [...own, '--nats', nats().url]
const values = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

it('shows what happens to a queue live, and again from the record, and receives nothing', async () => {
  await readyOf(kiroku().start(args('serve', '--partitions', '2', '--audit', 'off', '--json')))
  await kiroku().run(args('queue', 'create', 'mail'))
  const sent = await kiroku().run(args('send', 'mail', 'before', '--json'))
  const { messageId } = sent.json() as { messageId: string }
  const tail = kiroku().start(args('tail', 'mail', '--state', '--json'))
  await waitUntil(() => values(tail.stdout()).length === 1, { timeoutMs: 20_000 })
  expect(values(tail.stdout())[0]).toMatchObject({ counts: { available: 1 } })
  await kiroku().run(args('receive', 'mail', '--ack', '--json'))
  await waitUntil(() => values(tail.stdout()).some(({ to }) => to === 'Committed'), { timeoutMs: 20_000 })
  const seen = values(tail.stdout()).filter(({ to }) => to !== undefined)
  expect(seen).toMatchObject([
    { messageId, event: 'Delivered', from: 'Available', to: 'Inflight' },
    { messageId, event: 'Acked', from: 'Inflight', to: 'Committed' },
  ])
  tail.child.kill('SIGINT')
  expect((await tail.finished).exit).toBe(0)

  const again = await kiroku().run(args('tail', 'mail', '--from', '1', '--until-end', '--json'))
  expect(values(again.stdout).map(({ event }) => event)).toEqual([
    'QueueCreated',
    'Enqueued',
    'Delivered',
    'Acked',
  ])
  const text = await kiroku().run(args('tail', 'mail', '--from', '1', '--until-end'))
  expect(text.stdout).toContain(`${messageId}  Inflight → Committed`)
}, 90_000)
