import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '@kiroku/testkit'
import { readWranglerConfig } from '@kiroku/worker'
import { createWorld } from '../harness/index.ts'

const failing = (): never => {
  throw new Error('broken')
}

describe('max_retries counts the deliveries after the first', () => {
  it('[CF-08] is 3 by default, after which a message without a dead-letter queue is deleted', async () => {
    await using world = await createWorld()
    const worker = await world.worker({ consumers: [{ queue: 'mail', batchWaitMs: 0 }] }, failing)
    await world.send('mail', 'x')
    await world.advance('1 hour')
    expect(worker.of('x').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4])
    expect(await world.counts('mail')).toMatchObject({
      available: 0,
      inflight: 0,
      discarded: 1,
      deadLettered: 0,
    })
  })

  it('[CF-08] moves the message to the dead-letter queue when there is one', async () => {
    await using world = await createWorld()
    const worker = await world.worker(
      { consumers: [{ queue: 'mail', batchWaitMs: 0, retriesMax: 1, deadLetter: 'mail-dlq' }] },
      failing,
    )
    await world.send('mail', 'x')
    await world.advance('1 second')
    expect(worker.of('x')).toHaveLength(2)
    expect(await world.counts('mail')).toMatchObject({ discarded: 0, deadLettered: 1 })
    expect((await world.receive('mail-dlq')).map((message) => message.text())).toEqual(['x'])
  })

  it('[CF-08] gives up after the first delivery when it is 0', async () => {
    await using world = await createWorld()
    const worker = await world.worker(
      { consumers: [{ queue: 'mail', batchWaitMs: 0, retriesMax: 0 }] },
      failing,
    )
    await world.send('mail', 'x')
    await world.advance('1 hour')
    expect(worker.of('x')).toHaveLength(1)
  })

  it('[CF-08] delivers 101 times at its largest, 100', async () => {
    await using world = await createWorld()
    const worker = await world.worker(
      { consumers: [{ queue: 'mail', batchWaitMs: 0, retriesMax: 100 }] },
      failing,
    )
    await world.send('mail', 'x')
    await world.advance('1 hour')
    expect(worker.of('x')).toHaveLength(101)
  })

  it('[CF-08] is refused above 100 where a configuration file sets it', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'wrangler.toml')
    await writeFile(file, '[[queues.consumers]]\nqueue = "mail"\nmax_retries = 101\n')
    await expect(readWranglerConfig(file)).rejects.toMatchObject({ id: 'InvalidConfig' })
    await writeFile(file, '[[queues.consumers]]\nqueue = "mail"\nmax_retries = 100\n')
    expect((await readWranglerConfig(file)).consumers[0]!.retriesMax).toBe(100)
  })
})
