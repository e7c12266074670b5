import { encodeEnvelope } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { numbersOf, TestPartition } from '../testing/TestPartition.ts'

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

it('a noisy tenant is quiet again once nothing came from it for five minutes', () => {
  const p = new TestPartition()
  p.create('q', { groups: 'fair' })
  let send = 0
  const sendAs = (group: string): void => {
    const messages = [encodeEnvelope(new Uint8Array(4))]
    p.ok({ type: 'Enqueue', queue: 'q', producer: 'p', send: ++send, messages, groups: [group] })
  }
  const next = () => numbersOf(p.receive('q', { max: 1, leaseMs: 3_600_000 })!.numbers)
  for (let n = 1; n <= 32; n++) sendAs('a')
  const first = p.receive('q', { max: 30, leaseMs: 3_600_000 })!
  sendAs('b')
  expect(next()).toEqual([33])
  p.settle('Ack', first, { numbers: numbersOf(first.numbers).slice(0, 10) })
  sendAs('b')
  expect(next()).toEqual([34])
  p.now += 5 * 60_000
  sendAs('b')
  expect(next()).toEqual([31])
})

it('a group in order waits with all that follows for a message that does not fit', () => {
  const p = new TestPartition()
  p.create('q', { groups: 'ordered' })
  const sendAs = (send: number, ...bytes: number[]): void => {
    const messages = bytes.map((n) => encodeEnvelope(new Uint8Array(n)))
    const groups = bytes.map(() => 'g')
    p.ok({ type: 'Enqueue', queue: 'q', producer: 'p', send, messages, groups })
  }
  sendAs(1, 30, 30)
  sendAs(2, 5)
  expect(numbersOf(p.receive('q', { bytesMax: 50 })!.numbers)).toEqual([1])
})
