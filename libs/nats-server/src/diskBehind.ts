import { resolve } from 'node:path'
import { managedDisk, type ManagedDisk } from './managedDisk.ts'
import { managedFolderOf } from './ManagedState.ts'
import { managedStatus } from './managedStatus.ts'

/**
 * The disk of the managed server of `dataDir`, where `server` (a URL or `host:port`) is that server, on this machine;
 * undefined where it is another one, or none runs.
 */
export const diskBehind = (dataDir: string, server: string): ManagedDisk | undefined => {
  const folder = resolve(dataDir)
  const managed = managedStatus(folder)
  if (managed === undefined) return undefined
  const address = server.includes('://') ? server : `nats://${server}`
  if (!URL.canParse(address)) return undefined
  const { hostname, port } = new URL(address)
  const isHere = hostname === managed.host || loopbacks.has(hostname)
  return isHere && port === String(managed.port) ? managedDisk(managedFolderOf(folder), managed) : undefined
}

const loopbacks: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
