import { blockEntry, createMemoryLog, groupEntry } from '@kiroku/log'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'

const days = 86_400_000

/** An encrypted letter that waits for a queue that was deleted, with the time by which its key ages. */
const given = async (erasable: 'message' | 'group') => {
  const time = new ManualTime()
  const log = createMemoryLog({ partitions: 1 }, { now: () => time.wallMs() })
  const start = () => startTestNode(log, 'one', { time })
  const one = await start()
  const { queue } = await one.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
  const config = {
    erasable,
    deadLetter: { partition: 0, queue, name: 'dead' },
    ...(erasable === 'group' ? { groups: 'fair' as const } : {}),
  }
  await one.ask({ type: 'CreateQueue', queue: 'mail', config, by })
  await one.ask({ type: 'DeleteQueue', queue: 'dead', force: true, by })
  const { queue: mail } = await one.ask({
    type: 'Enqueue',
    queue: 'mail',
    producer: 'p',
    send: 1,
    messages: [body('the letter')],
    ...(erasable === 'group' ? { groups: ['g'] } : {}),
  })
  const { delivery } = await one.ask(receive('mail', 1))
  const { messages: _, ...item } = delivery!
  await one.ask({ type: 'DeadLetter', items: [{ ...item, sub: delivery!.sub }], error: 'no' })
  await one.close()
  const entry = erasable === 'message' ? blockEntry(0, mail, 1) : groupEntry(0, mail, 'g')
  /** How old its key is. */
  const ageMs = async () => time.wallMs() - ((await log.keys.get(entry))?.timeMs ?? 0)
  return { time, log, start, ageMs }
}

it.each(['message', 'group'] as const)(
  'the key of a letter that waits for longer than keys are kept is there when it arrives: erasable by %s',
  async (erasable) => {
    const { time, start, ageMs } = await given(erasable)
    for (let passed = 0; passed < 40; passed += 10) {
      time.wallFromMs += 10 * days
      const one = await start()
      await waitUntil(async () => (await ageMs()) < days)
      await one.close()
    }
    const one = await start()
    await one.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
    await time.advance(limits.forwardBackoffMsMax)
    const { delivery } = await one.ask(receive('dead'))
    expect((delivery?.messages ?? []).map(text)).toEqual(['the letter'])
    await one.close()
  },
)

it('the key of a letter that waits is looked at again while its owner stays, and while the store is down', async () => {
  const { time, log, start, ageMs } = await given('message')
  time.wallFromMs += 7.4 * days
  const one = await start()
  log.keys.isDown = true
  await time.advance(limits.letterKeysMs)
  log.keys.isDown = false
  expect(await ageMs()).toBeGreaterThan(7 * days)
  await time.advance(limits.forwardBackoffMsMax)
  expect(await ageMs()).toBeLessThan(days)
  await one.close()
})
