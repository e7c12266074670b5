import { decodeEnvelope, encodeEnvelope } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { bodiesBefore, editable, snapshot } from '../index.ts'
import { decideEditBody } from './decideEditBody.ts'
import { type BodyAt } from './editBody.ts'
import { itemOf, TestPartition } from '../testing/TestPartition.ts'
import { decideCarry } from '../trim/decideCarry.ts'

const by = { name: 'ada', origin: 'test', reason: 'a typing mistake' }
const encoder = new TextEncoder()

const given = (count = 5, config = {}): TestPartition => {
  const p = new TestPartition()
  p.create('dead', config)
  p.send('dead', count)
  return p
}
const queue = (p: TestPartition) => p.state.names.get('dead')!
let tokens = 0
const edit = (p: TestPartition, number: number, text: string, was?: BodyAt) => {
  const at = editable(p.state, queue(p), number)
  const body = encodeEnvelope(encoder.encode(text))
  const token = --tokens
  p.act((turn) =>
    decideEditBody(turn, { type: 'EditBody', queue: 'dead', number, messageId: '', body, by }, token, {
      queue: queue(p).id,
      was: was ?? (typeof at === 'string' ? { seq: 0, index: 0 } : at),
      body,
      bytes: body.length,
    }),
  )
  return p.answers.get(token)!.answer!
}
const textAt = (p: TestPartition, seq: number, index: number): string =>
  new TextDecoder().decode(decodeEnvelope(p.bodies.get(`${seq}/1`)![index]!).body)
/** What a receive gets, as texts; those that were not edited are of many bytes. */
const received = (p: TestPartition, max = 10): string[] => {
  const d = p.receive('dead', { max })
  if (d === undefined) return []
  return d.seqs.map((seq, i) => {
    const text = textAt(p, seq, d.indexes[i]!)
    return text.startsWith('edited') ? text : '-'
  })
}

describe('an edited body', () => {
  it('takes the place of the one in the middle of a run', () => {
    const p = given()
    expect(edit(p, 3, 'edited').ok).toMatchObject({ number: 3, isEdited: true })
    expect(p.events).toMatchObject([{ type: 'BodyEdited', queue: 1, number: 3, by }])
    expect(received(p)).toEqual(['-', '-', 'edited', '-', '-'])
  })

  it.each([1, 5])('takes the place of the one at an end of a run: %i', (number) => {
    const p = given()
    edit(p, number, 'edited')
    expect(received(p)[number - 1]).toBe('edited')
  })

  it('takes the place of one that was received before, and waits again or for a retry', () => {
    const p = given(3, { retry: { kind: 'fixed', delayMs: 100 } })
    const d = p.receive('dead', { max: 2 })!
    p.settle('Release', d, { numbers: [1] })
    p.settle('Retry', d, { numbers: [2] })
    edit(p, 1, 'edited 1')
    edit(p, 2, 'edited 2')
    p.now += 100
    p.turn()
    expect(received(p).toSorted()).toEqual(['-', 'edited 1', 'edited 2'])
  })

  it('may be edited again, and lies beside what is sent in the same turn', () => {
    const p = given(2)
    edit(p, 2, 'edited once')
    edit(p, 2, 'edited twice')
    p.send('dead', 2)
    expect(received(p)).toEqual(['-', 'edited twice', '-', '-'])
  })

  it('keeps the counts of bytes right', () => {
    const p = given(3)
    edit(p, 2, 'edited'.padEnd(5_000, '.'))
    p.receive('dead', { max: 10 })
    const [sub] = queue(p).subs
    expect([sub!.readyBytes, sub!.availableBytes]).toEqual([0, 0])
  })

  it('keeps the order of message groups', () => {
    const p = new TestPartition()
    p.create('dead', { groups: 'ordered' })
    p.ok({
      type: 'Enqueue',
      queue: 'dead',
      producer: 'p',
      send: 1,
      messages: Array.from({ length: 4 }, () => encodeEnvelope(encoder.encode('sent'))),
      groups: ['a', 'b', 'a', 'a'],
    })
    edit(p, 3, 'edited')
    const d = p.receive('dead', { max: 10 })!
    const ofA = d.seqs.map((seq, i) => textAt(p, seq, d.indexes[i]!))
    expect(ofA.filter((text) => text === 'edited')).toHaveLength(1)
    expect(itemOf(d).numbers).toEqual(d.numbers)
  })

  it('is refused for what is in flight, delayed or gone, and for what somebody else has edited', () => {
    const p = given(3)
    p.send('dead', 1, { delayMs: 60_000 })
    const before = editable(p.state, queue(p), 2) as BodyAt
    edit(p, 2, 'edited')
    expect(edit(p, 2, 'late', before).error).toMatchObject({ id: 'NotEditable' })
    const d = p.receive('dead', { max: 1 })!
    for (const number of [1, 4, 9]) expect(edit(p, number, 'x').error).toMatchObject({ id: 'NotEditable' })
    p.settle('Ack', d)
    expect(edit(p, 1, 'x').error).toMatchObject({ id: 'NotEditable' })
    expect(p.events).toEqual([])
  })
})

describe('bodies that are stored again', () => {
  it('are not those that were edited since they were read', () => {
    const p = given(5)
    const taken = snapshot(p.state)
    const [old] = bodiesBefore(taken, p.state.frameSeq + 1).bodies
    const bodies = [...p.bodies.get(`${old!.seq}/1`)!]
    edit(p, 3, 'edited')
    p.act((turn) => decideCarry(turn, [{ old: old!, bodies }], taken.seq))
    expect(p.events).toEqual([])
    expect(received(p)).toEqual(['-', '-', 'edited', '-', '-'])
  })

  it('are the edited ones where they were read after that', () => {
    const p = given(5)
    edit(p, 3, 'edited')
    const taken = snapshot(p.state)
    const carried = bodiesBefore(taken, p.state.frameSeq + 1).bodies.map((old) => ({
      old,
      bodies: p.bodies.get(`${old.seq}/1`)!.slice(old.index, old.index + old.count),
    }))
    p.act((turn) => decideCarry(turn, carried, taken.seq))
    expect(p.events).toMatchObject([{ type: 'BodiesCarried' }])
    expect(received(p)).toEqual(['-', '-', 'edited', '-', '-'])
  })

  it('is what a subscription gets that begins in the past, as long as another one has it', () => {
    const p = given(3)
    edit(p, 2, 'edited')
    const sub = { type: 'CreateSubscription', queue: 'dead', subscription: 's', settings: {}, by } as const
    p.ok({ ...sub, start: 'earliest' })
    p.fill(queue(p).named('s')!)
    const { seqs, indexes } = p.receive('dead', { subscription: 's' })!
    expect(seqs.map((seq, i) => textAt(p, seq, indexes[i]!).startsWith('edited'))).toEqual([
      false,
      true,
      false,
    ])
  })
})
