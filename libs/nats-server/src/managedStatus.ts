import { existsSync, realpathSync } from 'node:fs'
import { managedFolderOf, readState, type RunningServer } from './ManagedState.ts'
import { runsWith } from './runsWith.ts'

/** What is known of a managed nats-server without disturbing it. */
export interface ManagedStatus extends Omit<RunningServer, 'orphan'> {
  readonly keeperPid: number
}

/** The managed nats-server of `dataDir` as it runs now; undefined when none does. Starts and adopts nothing. */
export const managedStatus = (dataDir: string): ManagedStatus | undefined => {
  if (!existsSync(managedFolderOf(dataDir))) return undefined
  const folder = realpathSync(managedFolderOf(dataDir))
  const state = readState(folder)
  if (state?.server === undefined) return undefined
  if (!runsWith(state.keeperPid, `"folder":${JSON.stringify(folder)}`)) return undefined
  const { orphan: _, ...server } = state.server
  return { keeperPid: state.keeperPid, ...server }
}
