import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Access } from '@kiroku/nats-access'
import { managedFolderOf, managedStatus } from '@kiroku/nats-server'
import { KirokuError } from '@kiroku/protocol'
import type { Settings } from '../../config/settings.ts'

/** The keys to the managed nats-server of a data folder, and how it hears that they changed. */
export interface ManagedAccess {
  readonly access: Access
  /** Where the server listens; undefined: it does not run. */
  readonly url: string | undefined
  /** Has a server that runs read them again. */
  reload(): void
}

/** Errors: `InvalidArgument` (no engine of this version was started with the folder). */
export const managedAccess = ({ dataDir }: Pick<Settings, 'dataDir'>): ManagedAccess => {
  const folder = resolve(dataDir)
  const access = new Access(managedFolderOf(folder))
  if (!existsSync(access.configFile))
    throw new KirokuError(
      'InvalidArgument',
      `there is no nats-server of Kiroku in ${folder}: start \`kiroku up\``,
    )
  const server = managedStatus(folder)
  return {
    access,
    url: server && `nats://${server.host}:${server.port}`,
    reload: () => server && process.kill(server.pid, 'SIGHUP'),
  }
}
