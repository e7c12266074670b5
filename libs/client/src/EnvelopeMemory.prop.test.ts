import { isKirokuError } from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, type Client } from './index.ts'
import { CopyingWire, type Fate } from './testing/CopyingWire.ts'

const ms = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 20 }),
  // Longer than sends wait.
  fc.integer({ min: 0, max: 2_000 }),
)
const fate: fc.Arbitrary<Fate> = fc.record({
  how: fc.oneof(
    { weight: 12, arbitrary: fc.constant('answered' as const) },
    ...(['unanswered', 'stuck', 'silent', 'refused', 'moved'] as const).map((how) => ({
      weight: 1,
      arbitrary: fc.constant(how),
    })),
  ),
  readAfterMs: ms,
  answeredAfterMs: ms,
})
const sizes = fc.record({
  slabBytes: fc.integer({ min: 200, max: 800 }),
  envelopeBytesMin: fc.integer({ min: 1, max: 60 }),
  keptSlabsMax: fc.integer({ min: 0, max: 3 }),
  slabsMax: fc.constantFrom(2, 1_000),
})
const send = fc.record({
  /** Of each message; several are handed over together. */
  bytes: fc.array(fc.integer({ min: 4, max: 300 }), { minLength: 1, maxLength: 4 }),
  /** Undefined: the next comes within the same turn. */
  thenMs: fc.oneof(fc.constant(undefined), fc.constant(0), fc.integer({ min: 0, max: 30 })),
})

/** A body that begins with its number. */
const bodyOf = (number: number, bytes: number): Uint8Array => {
  const body = new Uint8Array(bytes).fill(1 + (number % 255))
  new DataView(body.buffer).setUint32(0, number)
  return body
}
const numberOf = (body: Uint8Array): number => new DataView(body.buffer, body.byteOffset).getUint32(0)

it('what a request carries stays as it is until it was read, whatever becomes of the sends before and after', async () => {
  const time = new ManualTime()
  const engine = await startMemoryEngine({ time })
  onTestFinished(() => engine.close())
  let queues = 0
  let reused = 0
  await fc.assert(
    fc.asyncProperty(
      sizes,
      fc.array(send, { minLength: 1, maxLength: 40 }),
      fc.array(fate, { maxLength: 60 }),
      async (envelopeSizes, sends, fates) => {
        const queue = `mail-${++queues}`
        const other = createClient(new CopyingWire(engine).transport, { clock: time })
        await other.queues.create(queue, { batchWaitMs: 0 })
        await other.queues.spread(queue, 2)
        const wire = new CopyingWire(engine, time, [at0, ...fates])
        const client = createClient(wire.transport, {
          clock: time,
          envelopeSizes,
          sendTimeoutMs: 1_000,
          sendPatience: { silenceMs: 500, moveMs: 1_000 },
          onEvent: () => {},
        })
        const bodies = new Map<number, Uint8Array>()
        const stored = new Set<number>()
        const failures = new Set<string>()
        const sending: Promise<void>[] = []
        const begin = ({ bytes }: { readonly bytes: readonly number[] }): void => {
          const numbers = bytes.map((length) => {
            const number = bodies.size
            bodies.set(number, bodyOf(number, length))
            return number
          })
          const sent =
            numbers.length === 1
              ? client.send(queue, bodies.get(numbers[0]!)!)
              : client.sendBatch(
                  queue,
                  numbers.map((number) => ({ body: bodies.get(number)! })),
                )
          sending.push(
            sent.then(
              () => numbers.forEach((number) => stored.add(number)),
              (error: unknown) => void failures.add(isKirokuError(error) ? error.id : String(error)),
            ),
          )
        }
        // Its answer says where else the queue is.
        begin({ bytes: [4] })
        await time.advance(1)
        for (const each of sends) {
          begin(each)
          if (each.thenMs !== undefined) await time.advance(each.thenMs)
        }
        await time.advance(60_000)
        await Promise.all(sending)
        wire.end()
        expect(wire.changed).toBe(0)
        for (const id of failures) expect(foreseen).toContain(id)
        reused += wire.reused
        await client.close()
        const got = await drain(other, queue)
        for (const body of got) expect(Buffer.compare(body, bodies.get(numberOf(body))!)).toBe(0)
        for (const [number, body] of bodies) expect(Buffer.compare(body, bodyOf(number, body.length))).toBe(0)
        const numbers = got.map(numberOf)
        expect(new Set(numbers).size).toBe(numbers.length)
        for (const number of stored) expect(numbers).toContain(number)
        await other.queues.delete(queue)
        await other.close()
      },
    ),
    { numRuns: 300 },
  )
  expect(reused).toBeGreaterThan(0)
})

const at0: Fate = { how: 'answered', readAfterMs: 0, answeredAfterMs: 0 }

/** What a caller may get from such a wire. */
const foreseen = ['OutOfOrder', 'BodyTooLarge', 'UnknownQueue', 'Unavailable', 'Timeout', 'SendUnknown']

const drain = async (client: Client, queue: string): Promise<Uint8Array[]> => {
  const got: Uint8Array[] = []
  for (;;) {
    const messages = await client.receive(queue, { max: 100, waitMs: 0 })
    if (messages.length === 0) return got
    for (const message of messages) got.push(message.body)
    await Promise.all(messages.map((message) => message.ack()))
  }
}
