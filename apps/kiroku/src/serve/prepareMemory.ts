import { formatBytes } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'
import type { Logger } from './Logger.ts'
import { growHeap } from './growHeap.ts'
import { memoryMax } from './memoryMax.ts'

const mebibyte = 1024 * 1024
/** What an engine with its nats-server kept within under full load, and what its auditor took beside it. */
const engineBytes = 384 * mebibyte
const auditorBytes = 128 * mebibyte

/** Sets an engine's process up for the memory that there is, and warns where that is little. */
export const prepareMemory = (
  { audit }: Pick<Settings, 'audit'>,
  logger: Logger,
  bytes = memoryMax(),
): void => {
  growHeap()
  const needed = engineBytes + (audit === 'on' ? auditorBytes : 0)
  if (bytes >= needed) return
  logger('warn', 'little memory', {
    has: formatBytes(bytes),
    needs: formatBytes(needed),
    why: `the system may end the engine under load: give it more${bytes < engineBytes ? '' : ', or set --audit off'}`,
  })
}
