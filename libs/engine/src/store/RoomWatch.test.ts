import { createMemoryLog, type StoreRoom } from '@kiroku/log'
import { ManualTime } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { RoomWatch } from './RoomWatch.ts'
import { StorageWatch } from './StorageWatch.ts'

/** A store that counts how often it was asked, and answers when the test says so. */
const given = () => {
  const time = new ManualTime()
  const answers: ((room: StoreRoom) => void)[] = []
  const log = { room: () => new Promise<StoreRoom | undefined>((resolve) => answers.push(resolve)) }
  return { time, answers, watch: new RoomWatch(log, time) }
}

describe('the room of a store', () => {
  it('has no more in it than was told, less what was stored since it was asked', async () => {
    const { watch, answers } = given()
    watch.stored(1_000)
    const look = watch.look()
    watch.stored(100)
    answers[0]!({ freeBytes: 10_000, bytesMax: 100_000 })
    await look
    expect(watch.room.freeBytes).toBe(9_900)
    watch.stored(50)
    expect(watch.room.freeBytes).toBe(9_850)
  })

  it('is looked at until the last who needs it has left', async () => {
    const { watch, time, answers } = given()
    watch.enter()
    watch.enter()
    watch.leave()
    await time.advance(limits.storageCheckMs)
    expect(answers).toHaveLength(2)
    watch.leave()
    await time.advance(10 * limits.storageCheckMs)
    expect(answers).toHaveLength(2)
  })

  it('is no longer looked at once an owner stops that had to start over', async () => {
    const { watch, time, answers } = given()
    const log = await createMemoryLog({ partitions: 1 }).partition(0)
    const storage = new StorageWatch(log, time, watch, () => {})
    storage.start()
    storage.start()
    storage.stop()
    const before = answers.length
    await time.advance(10 * limits.storageCheckMs)
    expect(answers).toHaveLength(before)
  })
})
