import { trace } from '@kiroku/audit'
import { messageId } from '@kiroku/protocol'
import { decodeCheckpoint } from '@kiroku/testkit/engine'
import { expect, it } from 'vitest'
import { catchUp, create, engine, send, withIndexedEngine, writer } from '../testing/TestIndex.ts'
import { hidingNow } from './hidingNow.ts'
import { traceIndex } from './traceIndex.ts'

withIndexedEngine()

it('a message in a queue that the index does not know yet is shown or hidden as the queue says', async () => {
  await create('known')
  await catchUp()
  const open = await create('open')
  const secret = await create('secret', { bodyHidden: 'on' })
  await send('open', [1])
  await send('secret', [1])
  const { log } = engine
  const hiding = await hidingNow({ log, dataDir: '/nowhere', decodeCheckpoint }, writer.database)
  const hiddenOf = async (queue: number) => {
    const id = messageId({ incarnation: log.meta.incarnation, partition: 0, queue, number: 1 })
    const sight = { hiding, asOperator: false }
    const { hidden } = await trace(log, id, { index: traceIndex(writer.database), sight })
    return hidden
  }
  expect(await hiddenOf(open.queue)).toBeUndefined()
  expect(await hiddenOf(secret.queue)).toBe('all')
})
