import { ManualTime } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { expect, it, onTestFinished } from 'vitest'
import { EnvelopeMemory } from './EnvelopeMemory.ts'
import { createClient, ownerFirst, type Transport } from './index.ts'
import { CopyingWire, type Fate } from './testing/CopyingWire.ts'

/** A client whose sends cross a wire, and two queues, of which it knows that one has two parts. */
const start = async (fates: readonly Fate['how'][] = [], way = (transport: Transport) => transport) => {
  const time = new ManualTime()
  const engine = await startMemoryEngine({ time })
  onTestFinished(() => engine.close())
  const first: Fate['how'] = 'answered'
  const wire = new CopyingWire(
    engine,
    time,
    [first, ...fates].map((how) => ({ how, readAfterMs: 0, answeredAfterMs: 0 })),
  )
  const client = createClient(way(wire.transport), { clock: time, onEvent: () => {} })
  onTestFinished(() => client.close())
  await client.queues.create('single')
  await client.queues.create('parted')
  await client.queues.spread('parted', 2)
  await client.send('parted', 'its answer names the parts')
  wire.memory.clear()
  /** Sends as many large messages together. */
  const send = (queue: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, () => client.send(queue, new Uint8Array(100_000).fill(++bodies))),
    )
  let bodies = 0
  return { wire, time, send }
}

it('memory of sends is used again once they are answered, whatever their number', async () => {
  const { wire, send } = await start()
  for (let i = 0; i < 100; i++) await send('single', 2)
  expect(wire.memory.size).toBe(1)
  for (let i = 0; i < 20; i++) await send('single', 40)
  // 40 lie in four or five slabs, as far as the one before is cut.
  expect(wire.memory.size).toBeLessThanOrEqual(6)
  expect(wire.changed).toBe(0)
})

it('memory of sends is not used again where an owner in the process may get them as they lie', async () => {
  const { wire, send } = await start([], (transport) => ownerFirst({ request: () => undefined }, transport))
  for (let i = 0; i < 20; i++) await send('single', 1)
  expect(wire.memory.size).toBe(20)
})

it.each<[string, Fate['how'][], string, number]>([
  ['sent again', ['stuck'], 'single', 1],
  ['sent again, refused, and sent one by one', ['stuck', 'refused'], 'single', 2],
  ['sent again, and then to another partition', ['stuck', 'moved'], 'parted', 1],
])(
  'memory of what was %s is left to the request that may not be read yet',
  async (_, fates, queue, count) => {
    const { wire, time, send } = await start(fates)
    const sent = send(queue, count)
    await time.advance(10_000)
    await sent
    for (let i = 0; i < 30; i++) await send('single', 1)
    wire.end()
    expect(wire.changed).toBe(0)
  },
)

it('an envelope lies elsewhere where it is small or larger than a slab, and while all slabs are taken', () => {
  const memory = new EnvelopeMemory({ slabBytes: 100, envelopeBytesMin: 10, keptSlabsMax: 1, slabsMax: 3 })
  expect([9, 101].map((bytes) => memory.take(bytes))).toEqual([undefined, undefined])
  const taken = [60, 60, 60].map((bytes) => memory.take(bytes)!)
  expect(taken.map(({ length }) => length)).toEqual([60, 60, 60])
  expect(memory.take(60)).toBeUndefined()
  expect(memory.take(40)!.buffer).toBe(taken[2]!.buffer)
  memory.giveBack(taken)
  expect(memory.take(60)!.buffer).toBe(taken[0]!.buffer)
})

it('a slab is not used again while one envelope in it lives, or once one is left', () => {
  const memory = new EnvelopeMemory({ slabBytes: 100, envelopeBytesMin: 10, keptSlabsMax: 9, slabsMax: 9 })
  const [one, two, left, three] = [50, 50, 50, 50].map((bytes) => memory.take(bytes)!)
  const rest = memory.take(100)!
  memory.giveBack([one!])
  memory.leave([left!])
  memory.giveBack([left!, three!])
  expect([two!.buffer, left!.buffer]).not.toContain(memory.take(100)!.buffer)
  memory.giveBack([two!, rest])
  expect(memory.take(100)!.buffer).toBe(rest.buffer)
  expect(memory.take(100)!.buffer).toBe(one!.buffer)
})
