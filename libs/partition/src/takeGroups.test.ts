import { expect, it } from 'vitest'
import { encodeEnvelope } from './index.ts'
import { numbersOf, TestPartition } from './TestPartition.ts'

it('a tenant whose oldest messages are over keeps its turn', () => {
  const p = new TestPartition()
  p.create('q', { groups: 'fair', retentionMs: 1_001 })
  let send = 0
  const sendAs = (group: string): void => {
    const messages = [encodeEnvelope(new Uint8Array(4))]
    p.ok({ type: 'Enqueue', queue: 'q', producer: 'p', send: ++send, messages, groups: [group] })
  }
  sendAs('a')
  p.now += 900
  sendAs('b')
  sendAs('a')
  // Retention is looked at now, and then not for a while: the receive finds the first message over.
  p.configure('q', { retentionMs: 1_000 })
  p.now += 100
  const received = [1, 2].map(() => numbersOf(p.receive('q', { max: 1 })!.numbers))
  expect(received.flat().sort()).toEqual([2, 3])
})
