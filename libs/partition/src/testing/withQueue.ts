import { TestPartition } from './TestPartition.ts'

export const withQueue = (config = {}): TestPartition => {
  const p = new TestPartition()
  p.create('q', config)
  return p
}
