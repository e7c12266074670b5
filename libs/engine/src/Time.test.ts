import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { liveTime } from './Time.ts'

it('a time that has passed is due at once, and nobody is warned of it', async () => {
  const warned = vi.fn()
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  for (const ms of [-2_952.7, -Infinity]) await new Promise<void>((resolve) => liveTime.after(ms, resolve))
  // Warnings arrive in their order.
  const last = once(process, 'warning')
  process.emitWarning('the last one')
  await last
  expect(warned.mock.calls.map(([warning]) => (warning as Error).message)).toEqual(['the last one'])
})
