import { isKirokuError } from '@kiroku/protocol'
import type { Logger } from './Logger.ts'
import type { RunningEngine } from './startEngine.ts'

/**
 * Waits until the engine is ready, reports that, waits for the signal to stop, and drains, also on failure.
 */
export const untilStopped = async (
  engine: RunningEngine,
  signal: AbortSignal,
  logger: Logger,
  onReady: () => void | Promise<void>,
): Promise<void> => {
  const startedMs = performance.now()
  try {
    await engine.ready(signal)
    logger('info', 'ready', { partitions: engine.partitions, ms: Math.round(performance.now() - startedMs) })
    await onReady()
    await aborted(signal)
  } catch (error) {
    if (!(isKirokuError(error) && error.id === 'Stopped')) throw error
  } finally {
    const drainedMs = performance.now()
    logger('info', 'stopping')
    await engine.close()
    logger('info', 'stopped', { ms: Math.round(performance.now() - drainedMs) })
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
