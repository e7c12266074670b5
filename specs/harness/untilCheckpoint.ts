import type { Client } from '@kiroku/client'
import { waitUntil } from '@kiroku/testkit'

/** Sends until a checkpoint covers everything that the partition went through so far. */
export const untilCheckpoint = async (client: Client): Promise<void> => {
  const partition = async () => (await client.partitions())[0]!
  const { lastSeq } = await partition()
  await client.queues.create('traffic')
  await waitUntil(async () => {
    await client.send('traffic', 'x'.repeat(1_000))
    return (await partition()).checkpointSeq > lastSeq
  })
}
