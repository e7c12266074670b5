import { createMemoryLog } from '@kiroku/log'
import { ManualTime } from '@kiroku/testkit'
import { expect, it } from 'vitest'
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
