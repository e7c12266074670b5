import { blockEntry, type KeyStore } from '@kiroku/log'
import type { QueueDescription } from '@kiroku/protocol'

/** Whether the keys of a queue's newest messages exist. */
export interface KeysFound {
  readonly queue: string
  readonly state: 'there' | 'lost' | 'unreachable'
}

/**
 * Asks for the keys of queues that are erasable by message and have messages; `kiroku verify` checks all of
 * them against the record.
 */
export const askKeys = (keys: KeyStore, queues: readonly QueueDescription[]): Promise<KeysFound[]> =>
  Promise.all(
    queues
      .filter(({ config, spread }) => config.erasable === 'message' && spread === undefined)
      .filter(({ counts: c }) => c.available + c.inflight + c.waitingRetry + c.delayed > 0)
      .map(async ({ name, partition, queue, counts }) => {
        try {
          const entry = await keys.get(blockEntry(partition, queue, counts.sent))
          return { queue: name, state: entry === undefined ? 'lost' : 'there' }
        } catch {
          return { queue: name, state: 'unreachable' }
        }
      }),
  )
