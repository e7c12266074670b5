import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createMemoryLog } from '@kiroku/log'
import type { Command } from '@kiroku/partition'
import { waitUntil } from '@kiroku/testkit'
import { MortalLog } from './MortalLog.ts'
import { body, by, receive, startTestNode, text } from './startTestNode.ts'

const send = (n: number): Extract<Command, { type: 'Enqueue' }> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: 'p',
  send: n,
  messages: [body(`${n}`)],
})

/** A foreign record takes the place of the first of three appends in flight; the two behind it are stored. */
const withOrphans = async () => {
  const log = createMemoryLog({ partitions: 1 })
  const part = await log.partition(0)
  const mortal = new MortalLog(log)
  const one = await startTestNode(mortal, 'one')
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  await one.ask(send(1))
  const { lastSeq } = await part.state()
  log.faults.slow(30)
  const replies = []
  for (let n = 2; n <= 4; n++) {
    replies.push(one.node.request(0, [send(n)]))
    await nextTurn()
    await nextTurn()
  }
  log.faults.write(0, new TextEncoder().encode('not ours'))
  return { log, mortal, one, replies, last: lastSeq + 3, part }
}
const texts = async (one: Awaited<ReturnType<typeof startTestNode>>) =>
  (await one.ask(receive('mail'))).delivery!.messages.map(text)

describe('a foreign record among appends in flight', () => {
  it('makes the owner give up what landed behind it, and go on', async () => {
    const { log, one, replies } = await withOrphans()
    for (const { answers } of await Promise.all(replies)) expect(answers[0]!.error?.id).toBe('Unavailable')
    log.faults.slow(0)
    await waitUntil(() => one.node.actors.get(0)!.life === 'Active')
    for (let n = 2; n <= 4; n++) expect((await one.ask(send(n))).first).toBe(n)
    expect(await texts(one)).toEqual(['1', '2', '3', '4'])
    await one.close()
    const two = await startTestNode(log, 'two')
    expect((await two.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.sent).toBe(4)
    await two.close()
  })

  it('makes the next owner give it up when the one before died of it', async () => {
    const { log, mortal, part, last } = await withOrphans()
    mortal.kill()
    await waitUntil(async () => (await part.state()).lastSeq === last)
    log.faults.slow(0)
    const two = await startTestNode(log, 'two')
    expect((await two.ask(send(2))).first).toBe(2)
    expect(await texts(two)).toEqual(['1', '2'])
    await two.close()
    const three = await startTestNode(log, 'three')
    expect((await three.ask({ type: 'DescribeQueue', queue: 'mail' })).counts.sent).toBe(2)
    await three.close()
  })
})
