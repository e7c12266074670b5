import type { QueueConfig } from '@kiroku/protocol'
import { TestPartition } from './TestPartition.ts'

export const target = { partition: 7, queue: 4, name: 'dead' }

export const address = { partition: 7, queue: 4 }

export const given = (config: Partial<QueueConfig> = {}, count = 1): TestPartition => {
  const p = new TestPartition()
  p.create('q', { deadLetter: target, ...config })
  p.send('q', count)
  return p
}

export const lane = (p: TestPartition) => [...p.state.outbox.values()][0]

export const by = { name: 'tester', origin: 'test' }
