import { describe, expect, it } from 'vitest'
import { restore, snapshot, stateHash } from '../index.ts'
import type { OutboxEntry } from '../forward/Outbox.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const given = (): TestPartition => {
  const p = TestPartition.newest()
  p.create('q', { leaseMs: 1_000, retry: { kind: 'fixed', delayMs: 0 }, retriesMax: 5 })
  return p
}
const send = (p: TestPartition, count: number, number = 1) =>
  p.ok({
    type: 'Enqueue',
    queue: 'q',
    producer: 'p',
    send: number,
    messages: Array.from({ length: count }, () => new Uint8Array(5)),
  })
const receive = (p: TestPartition, max: number) => p.receive('q', { max })

describe('the time of the first delivery', () => {
  it('is told with later ones, and with none of messages that are delivered for the first time', () => {
    const p = given()
    send(p, 1)
    const first = receive(p, 1)!
    expect(first).not.toHaveProperty('firstAt')
    p.pass(1_000)
    send(p, 1, 2)
    expect(receive(p, 2)).toMatchObject({ attempts: [2, 1], firstAt: [first.now, 0] })
  })

  it('is in checkpoints, and no part of the hash', () => {
    const p = given()
    send(p, 1)
    const { now } = receive(p, 1)!
    const copy = snapshot(p.state)
    expect(restore(copy).live.firstAt[0]).toBe(now)
    const { firstAt: _, ...live } = copy.live
    const older = { ...copy, live: live as typeof copy.live }
    expect(restore(older).live.firstAt[0]).toBe(0)
    expect(stateHash(snapshot(restore(older)))).toBe(stateHash(copy))
  })

  it('stays with a letter on its way, and is no part of the hash there either', () => {
    const p = given()
    p.create('source', { deadLetter: { partition: 1, queue: 1, name: 'dead' } })
    p.send('source', 1)
    const delivery = p.receive('source', { max: 1 })!
    p.pass(100)
    p.settle('DeadLetter', delivery)
    const copy = snapshot(p.state)
    const [lane] = restore(structuredClone(copy)).outbox.values()
    expect(lane!.entries).toMatchObject([{ firstAt: delivery.now }])
    const [{ firstAt: _, ...entry }] = lane!.entries as [OutboxEntry]
    expect(stateHash({ ...copy, outbox: [{ ...lane!, entries: [entry] }] })).toBe(stateHash(copy))
  })
})
