import { expect, it } from 'vitest'
import { ManualTime } from '@kiroku/testkit'
import { EngineTime } from './EngineTime.ts'

const leaseMs = 30_000

/** A partition whose time is far from the client's, and what is left of its leases on arrival. */
const start = () => {
  const time = new ManualTime()
  const engineTime = new EngineTime(time)
  let offsetMs = 1_000_000
  return {
    time,
    engineTime,
    /** What is left of a lease that took `onTheWayMs` to arrive. */
    leftMs: async (onTheWayMs: number): Promise<number> => {
      const now = time.now() + offsetMs
      await time.advance(onTheWayMs)
      const delivery = { now, leaseUntil: now + leaseMs }
      return engineTime.leaseEndMs(delivery as Parameters<EngineTime['leaseEndMs']>[0]) - time.now()
    },
    shift: (ms: number) => (offsetMs += ms),
  }
}

it('assumes that the first delivery took no time', async () => {
  const { leftMs } = start()
  expect(await leftMs(7_000)).toBe(leaseMs)
})

it('learns from a quicker delivery how long another one took', async () => {
  const { leftMs } = start()
  await leftMs(10)
  expect(await leftMs(7_010)).toBe(leaseMs - 7_000)
  await leftMs(0)
  expect(await leftMs(7_000)).toBe(leaseMs - 7_000)
})

it('forgets the quickest after two spans, because clocks drift apart', async () => {
  const { time, leftMs, shift } = start()
  for (let minutes = 0; minutes < 24 * 60; minutes++) {
    await time.advance(60_000)
    shift(-6)
    expect(leaseMs - (await leftMs(0))).toBeLessThanOrEqual(12)
  }
})

it("measures another owner's time from scratch", async () => {
  const { engineTime, leftMs, shift } = start()
  await leftMs(0)
  shift(-20_000)
  engineTime.forget()
  expect(await leftMs(5)).toBe(leaseMs)
})
