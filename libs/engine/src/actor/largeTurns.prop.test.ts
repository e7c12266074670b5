import { type Answer, type Delivery, encodeEnvelope, eventBytes } from '@kiroku/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  create,
  itemOf,
  jittered,
  receive,
  recordBytesMax,
  records,
  send,
  start,
  wide,
} from '../testing/smallRecords.ts'
import { by } from '../testing/startTestNode.ts'

const text = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 128 }).map((length) => wide(length, length)),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)
const longText = fc.integer({ min: 0, max: 1_000 }).map((length) => wide(length, length))
const op = fc.oneof(
  fc.record({
    op: fc.constant('send' as const),
    count: fc.integer({ min: 1, max: 1_000 }),
    bytes: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 30_000 })),
    tags: fc.array(text, { maxLength: 20 }),
    groups: fc.array(text, { maxLength: 20 }),
    delays: fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 5 }),
    producer: fc.integer({ min: 1, max: 300 }),
  }),
  fc.record({
    op: fc.constant('receive' as const),
    max: fc.integer({ min: 1, max: 1_000 }),
    consumer: longText,
    attempt: fc.option(text, { nil: undefined }),
    sub: fc.integer({ min: 0, max: 8 }),
  }),
  fc.record({
    op: fc.constant('settle' as const),
    how: fc.constantFrom(
      'Ack' as const,
      'Retry' as const,
      'Release' as const,
      'DeadLetter' as const,
      'Extend' as const,
    ),
    apart: fc.boolean(),
    error: longText,
  }),
  fc.record({ op: fc.constant('configure' as const), schema: fc.integer({ min: 0, max: 10_000 }) }),
  fc.record({ op: fc.constant('purge' as const), reason: fc.integer({ min: 0, max: 60_000 }) }),
  fc.record({ op: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 4_000 }) }),
)

const frequent: ReadonlySet<string> = new Set(['Enqueued', 'Delivered', 'Acked'])

it('any mix of lawful commands makes records that the log takes, and no fact takes more than it is counted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(op, { maxLength: 30 }), { minLength: 1, maxLength: 8 }),
      async (rounds) => {
        const one = await start()
        const dead = (await one.answer(create({}, 'dead'))).ok as { queue: number }
        const deadLetter = { partition: 0, queue: dead.queue, name: 'dead' }
        const made = await one.answer(
          create({ groups: 'fair', retry: jittered, leaseMs: 1_500, retriesMax: 2, deadLetter }),
        )
        expect(made.error).toBeUndefined()
        for (let n = 0; n < 8; n++)
          await one.answer({
            type: 'CreateSubscription',
            queue: 'mail',
            subscription: `s${n}`,
            settings: n % 2 === 0 ? {} : { tags: ['', wide(3, 3)] },
            by,
          })
        const held: Delivery[] = []
        for (const ops of rounds) {
          const asked: Promise<Answer>[] = []
          let waitMs = 0
          for (const o of ops) {
            const each = (texts: readonly string[], count: number): string[] =>
              Array.from({ length: count }, (_, i) => texts[i % texts.length]!)
            if (o.op === 'send') {
              const count = Math.min(o.count, Math.max(1, Math.floor(200_000 / (o.bytes + 1))))
              asked.push(
                one.answer(
                  send(count, {
                    producer: wide(o.producer),
                    messages: Array.from({ length: count }, () => encodeEnvelope(new Uint8Array(o.bytes))),
                    ...(o.tags.length === 0
                      ? {}
                      : {
                          tags: each(
                            o.tags.map((t) => t.replaceAll('|', '')),
                            count,
                          ),
                        }),
                    ...(o.groups.length === 0 ? {} : { groups: each(o.groups, count) }),
                    ...(o.delays.length === 0
                      ? {}
                      : {
                          delaysMs: Array.from({ length: count }, (_, i) => o.delays[i % o.delays.length]!),
                        }),
                  }),
                ),
              )
            } else if (o.op === 'receive')
              asked.push(
                one.answer(
                  receive(o.max, {
                    consumer: o.consumer,
                    ...(o.attempt === undefined ? {} : { attempt: o.attempt }),
                    ...(o.sub === 8 ? {} : { subscription: `s${o.sub}` }),
                  }),
                ),
              )
            else if (o.op === 'settle') {
              const items = held
                .splice(0, 3)
                .map(itemOf)
                .flatMap((item) =>
                  o.apart
                    ? Array.from({ length: item.numbers.length / 2 }, (_, i) => ({
                        ...item,
                        numbers: item.numbers.slice(2 * i, 2 * i + 2),
                      }))
                    : [item],
                )
              if (items.length > 0)
                asked.push(
                  one.answer(
                    o.how === 'Extend'
                      ? { type: 'Extend', items, leaseMs: 2_000 }
                      : { type: o.how, items, error: o.error },
                  ),
                )
            } else if (o.op === 'configure')
              asked.push(
                one.answer({
                  type: 'ConfigureQueue',
                  queue: 'mail',
                  config: { bodySchema: { title: wide(o.schema) } },
                  by,
                }),
              )
            else if (o.op === 'purge')
              asked.push(
                one.answer({ type: 'PurgeQueue', queue: 'dead', by: { ...by, reason: wide(o.reason) } }),
              )
            else waitMs += o.ms
          }
          await one.time.advance(waitMs)
          const answers = await Promise.all(asked)
          for (const { ok, error } of answers) {
            if (error !== undefined)
              expect(error.id).toMatch(/^(BodyTooLarge|InvalidArgument|Busy|UnknownSubscription)$/)
            const { delivery } = (ok ?? {}) as { delivery?: Delivery }
            if (delivery !== undefined) held.push(delivery)
          }
        }
        expect(one.epoch()).toBe(1)
        for (const { bytes, eventsBytes, events } of await records(one.log)) {
          expect(bytes).toBeLessThanOrEqual(recordBytesMax)
          // The shapes of the most frequent facts are paid for by the frame.
          const shapes = events.filter(({ type }) => frequent.has(type)).map((e) => Object.keys(e).join())
          let counted = 5
          for (const shape of new Set(shapes)) counted += shape.length + 16
          for (const e of events) counted += eventBytes(e)
          expect(counted).toBeGreaterThanOrEqual(eventsBytes)
        }
        await one.close()
      },
    ),
    { numRuns: 25, seed: 11 },
  )
})
