import {
  decodeEnvelope,
  encodeEnvelope,
  messageId,
  messageUuid,
  parseMessageId,
  parseReceipt,
  partitionOf,
  receipt,
} from './index.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const whole = fc.maxSafeNat()
const address = fc.record({
  incarnation: fc.stringMatching(/^[a-z0-9]{1,16}$/),
  partition: whole,
  queue: whole,
  number: whole,
})

describe('a message id and a receipt', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(address, whole, whole, (a, sub, delivery) => {
        expect(parseMessageId(messageId(a))).toEqual(a)
        expect(parseReceipt(receipt({ ...a, sub, delivery }))).toEqual({ ...a, sub, delivery })
      }),
      { seed: 5 },
    )
  })
  it('has a UUID that stands for it, where its parts fit', () => {
    const fitting = fc.record({
      incarnation: fc.stringMatching(/^[0-9a-f]{8}$/),
      partition: fc.nat(1_023),
      queue: fc.nat(2 ** 30 - 1),
      number: fc.integer({ min: 0, max: 2 ** 50 - 1 }),
    })
    fc.assert(
      fc.property(fitting, (a) => {
        const uuid = messageUuid(a)!
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(parseMessageId(uuid)).toEqual(a)
        // Of one that differs in a single part from what came before.
        for (const part of [
          { incarnation: '00000000' },
          { partition: 0 },
          { queue: 0 },
          { number: 0 },
          { number: 2 ** 49 },
        ]) {
          messageUuid(a)
          expect(parseMessageId(messageUuid({ ...a, ...part })!)).toEqual({ ...a, ...part })
        }
      }),
      { seed: 5 },
    )
    expect(messageUuid({ incarnation: 'memory', partition: 0, queue: 1, number: 1 })).toBeUndefined()
    expect(messageUuid({ incarnation: '0000000a', partition: 1_024, queue: 1, number: 1 })).toBeUndefined()
  })
  it.each([
    '',
    'a',
    'a-1-2-3-4',
    'a-1-2-3-4-5-6',
    'a-1-2-3-4-',
    'A-1-2-3-4-5',
    'a-1-2-3-4--5',
    'a-1-2-3-4-zzzzzzzzzzz',
  ])('"%s" is no receipt', (text) => {
    expect(() => parseReceipt(text)).toThrow(expect.objectContaining({ id: 'InvalidReceipt' }))
  })
  it('of the other kind are refused', () => {
    const a = { incarnation: 'a', partition: 1, queue: 2, number: 3 }
    expect(() => parseReceipt(messageId(a))).toThrow(expect.objectContaining({ id: 'InvalidReceipt' }))
    expect(() => parseMessageId(receipt({ ...a, sub: 0, delivery: 1 }))).toThrow(
      expect.objectContaining({ id: 'InvalidArgument' }),
    )
  })
})

describe('queues by their names', () => {
  it('spread evenly over partitions', () => {
    const counts = [0, 0, 0, 0]
    for (let i = 0; i < 4_000; i++) counts[partitionOf(`orders-${i}`, 4)]! += 1
    for (const count of counts) expect(count).toBeGreaterThan(850)
  })
})

describe('an envelope', () => {
  it('gives back body and meta, of whatever length', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.dictionary(fc.string(), fc.string({ maxLength: 400 }), { maxKeys: 60 }),
        (body, attributes) => {
          // A plain object, as a decoder makes it.
          const meta = { attributes: { ...attributes }, contentType: 'text/plain' }
          const opened = decodeEnvelope(encodeEnvelope(body, meta))
          expect(opened.body).toEqual(body)
          expect(opened.meta).toEqual(meta)
        },
      ),
      { seed: 6 },
    )
  })
  it('of a body without meta costs one byte', () => {
    expect(encodeEnvelope(new Uint8Array(5)).length).toBe(6)
    expect(encodeEnvelope(new Uint8Array(5), { attributes: undefined } as never).length).toBe(6)
    expect(decodeEnvelope(encodeEnvelope(new Uint8Array([7])))).toEqual({
      meta: {},
      body: new Uint8Array([7]),
    })
  })
  it('leaves out what is not what it should be, and keeps the rest', () => {
    const lineage = { messageId: 'x-0-1-2', queue: 'q', cause: 'c', error: '', attempts: 1, enqueuedAt: 2 }
    const read = (meta: object) => decodeEnvelope(encodeEnvelope(new Uint8Array(1), meta)).meta
    expect(read({ attributes: { a: 1 }, contentType: 7, traceHeader: {}, group: 'g', younger: [1] })).toEqual(
      {
        group: 'g',
        younger: [1],
      },
    )
    expect(read({ lineage, attributeTypes: null, edits: '1' })).toEqual({ lineage })
    for (const strange of [
      { messageId: 1 },
      { queue: undefined },
      { passed: 'all' },
      { enqueuedAt: '2' },
      { sentAt: '2' },
      { deliveredAt: '2' },
    ])
      expect(read({ lineage: { ...lineage, ...strange } })).toEqual({})
  })
  it.each([100, 127, 128, 16_383, 16_384, 60_000])('takes %d characters of meta', (characters) => {
    const meta = { contentType: 'x'.repeat(characters) }
    expect(decodeEnvelope(encodeEnvelope(new Uint8Array(1), meta)).meta).toEqual(meta)
  })
})
