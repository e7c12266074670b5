import { startTestNats, temporaryFolder, waitUntil, withNats } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { Kiroku, readyOf } from '../../testing/Kiroku.ts'
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

it('follows on, with nothing left out, when NATS is back', async () => {
  const server = await startTestNats()
  onTestFinished(() => server.stop())
  const at = (...own: string[]) => [...own, '--nats', server.url]
  const own = await temporaryFolder()
  onTestFinished(() => own.remove())
  const alone = new Kiroku(own.path)
  onTestFinished(() => alone.killAll())
  await readyOf(alone.start(at('serve', '--partitions', '2', '--audit', 'off', '--json')))
  await alone.run(at('queue', 'create', 'mail'))
  const tail = alone.start(at('tail', 'mail', '--from', '1', '--json'))
  const shown = () => values(tail.stdout()).map(({ messageId }) => messageId)
  await waitUntil(() => shown().length === 1, { timeoutMs: 20_000 })
  await server.kill()
  await waitUntil(() => tail.stderr().includes('NATS does not answer'), { timeoutMs: 20_000 })
  await server.restart()
  const sent = await alone.run(at('send', 'mail', 'after', '--json'))
  const { messageId } = sent.json() as { messageId: string }
  await waitUntil(() => shown().includes(messageId), { timeoutMs: 20_000 })
  expect(shown()).toEqual([undefined, messageId])
  expect(tail.stderr()).toMatch(
    /^NATS does not answer \(.+\); this goes on when it does\nNATS answers again\n$/,
  )
  tail.child.kill('SIGINT')
  expect((await tail.finished).exit).toBe(0)
}, 90_000)
