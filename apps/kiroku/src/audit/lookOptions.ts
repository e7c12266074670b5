import { setImmediate as nextTick } from 'node:timers/promises'
import { resolve } from 'node:path'
import type { LookOptions } from '@kiroku/audit'
import { auditFolder, MomentFiles } from '@kiroku/audit-store'
import { decodeCheckpoint } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import type { Room } from '../auditor/Room.ts'

/** How to look back in a log from here: with the auditor's moments, where its files are in the data folder. */
export const lookOptions = (log: Log, dataDir: string, room?: Room): Omit<LookOptions, 'onProgress'> => ({
  decodeCheckpoint,
  moments: new MomentFiles(auditFolder(resolve(dataDir), log.meta.incarnation), { readOnly: true }),
  now: Date.now(),
  pause: () => (room === undefined ? nextTick() : room.make()),
})
