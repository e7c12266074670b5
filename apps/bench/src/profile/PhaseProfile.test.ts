import { Session } from 'node:inspector/promises'
import { expect, it } from 'vitest'
import { allocationShares, processorShares } from './PhaseProfile.ts'

const keep: unknown[] = []
const fillMemory = (): void => {
  for (let i = 0; i < 20_000; i++) keep[i % 100] = Array.from({ length: 100 }, () => ({ i }))
}
const spin = (): number => {
  let sum = 0
  const untilMs = performance.now() + 300
  while (performance.now() < untilMs) sum += Math.sqrt(sum + 1)
  return sum
}

it('names the functions that took the processor and memory, with their files, the most first', async () => {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 4_096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  fillMemory()
  spin()
  const { profile } = await session.post('Profiler.stop')
  const { profile: heap } = await session.post('HeapProfiler.stopSampling')
  session.disconnect()

  const processor = processorShares(profile)
  expect(processor.map(({ name }) => name)).toContainEqual(
    expect.stringMatching(/^spin apps\/bench\/src\/profile\/PhaseProfile\.test\.ts:\d+$/),
  )
  expect(processor.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
  expect(processor).toEqual(processor.toSorted((a, b) => b.share - a.share))
  expect(processor.some(({ name }) => name === '(idle)')).toBe(false)
  const allocations = allocationShares(heap)
  expect(allocations[0]!.name).toMatch(/PhaseProfile\.test\.ts:\d+$/)
  const own = allocations.filter(({ name }) => name.includes('PhaseProfile.test.ts'))
  expect(own.reduce((sum, { share }) => sum + share, 0)).toBeGreaterThan(0.5)
})
