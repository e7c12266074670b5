import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMemoryLog, type PartitionLog } from '@kiroku/log'
import type { Reply } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { alteredLog } from '../testing/alteredLog.ts'
import { body, by, startTestNode } from '../testing/startTestNode.ts'

it('a queue whose schema is checked while too much waits is refused, not left without an answer', async () => {
  const log = createMemoryLog({ partitions: 1 })
  const part = await log.partition(0)
  let letGo = (): void => {}
  let mayAppend = Promise.resolve()
  const slow = alteredLog(log, part, {
    append: async (...given: Parameters<PartitionLog['append']>) => {
      await mayAppend
      return part.append(...given)
    },
  })
  const one = await startTestNode(slow)
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  mayAppend = new Promise((resolve) => (letGo = resolve))
  const sent: Promise<Reply>[] = []
  const isBusy = async (bytes: number): Promise<boolean> => {
    const messages = [body('x'.repeat(bytes))]
    const reply = one.node.request(0, [
      { type: 'Enqueue', queue: 'mail', producer: 'p', send: sent.length + 1, messages },
    ])
    sent.push(reply)
    // What is refused is answered at once; the others wait for an append.
    const answer = await Promise.race([reply, nextTurn()])
    return answer?.answers[0]!.error?.id === 'Busy'
  }
  // Some leave for appends under way; then there is no room for the smallest.
  for (const bytes of [200_000, 2_000, 1]) while (!(await isBusy(bytes)));
  const config = { bodySchema: { type: 'object' } }
  const created = await one.node.request(0, [{ type: 'CreateQueue', queue: 'checked', config, by }])
  expect(created.answers[0]!.error?.id).toBe('Busy')
  letGo()
  await Promise.all(sent)
  await one.ask({ type: 'CreateQueue', queue: 'checked', config, by })
  await one.close()
})
