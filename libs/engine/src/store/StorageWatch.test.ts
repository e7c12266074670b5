import { createMemoryLog } from '@kiroku/log'
import { ManualTime } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { alteredLog } from '../testing/alteredLog.ts'
import { RoomWatch } from './RoomWatch.ts'
import { StorageWatch } from './StorageWatch.ts'

it('a log has no more room in it than was told, less what was sent off since it was asked', async () => {
  const time = new ManualTime()
  const log = createMemoryLog(
    { partitions: 1 },
    { bytesMax: 100_000, schedule: (ms, run) => void time.after(ms, run) },
  )
  log.faults.slow(10)
  const watch = new StorageWatch(await log.partition(0), time, new RoomWatch(log, time), () => {})
  watch.start()
  await time.advance(5)
  watch.stored(89_000)
  await time.advance(5)
  expect(watch.room).toMatchObject({ freeBytes: 11_000, bytesMax: 100_000 })
  watch.stored(2_000)
  expect(watch.full).toBe(true)
  watch.stop()
})

it('a log at rest is seldom asked, and one that was written to at the next check', async () => {
  const time = new ManualTime()
  const log = createMemoryLog({ partitions: 1 })
  const part = await log.partition(0)
  let asked = 0
  const counted = alteredLog(log, part, {
    state: () => {
      asked++
      return part.state()
    },
  })
  const watch = new StorageWatch(await counted.partition(0), time, new RoomWatch(log, time), () => {})
  watch.start()
  await time.advance(10 * limits.storageCheckMs)
  expect(asked).toBe(1)
  watch.stored(100)
  await time.advance(limits.storageCheckMs)
  expect(asked).toBe(2)
  await time.advance((limits.storageChecksSkipped + 1) * limits.storageCheckMs)
  expect(asked).toBe(3)
  log.faults.down(true)
  watch.stored(100)
  await time.advance(3 * limits.storageCheckMs)
  expect(asked).toBe(6)
  watch.stop()
})
