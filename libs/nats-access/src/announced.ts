import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Access } from './Access.ts'

/** Where a user's programs find the nats-servers that Kiroku runs for that user: a file for each port of loopback. */
const folder = (): string =>
  join(
    process.env['XDG_STATE_HOME'] ||
      (process.platform === 'win32' && process.env['LOCALAPPDATA']) ||
      join(homedir(), '.local', 'state'),
    'kiroku',
    'nats',
  )

/** What a file says; no secret. */
interface Announced {
  /** That of the server's keys, as `Access` takes it. */
  readonly serverFolder: string
  /** The process that keeps the server. */
  readonly keeperPid: number
}

/**
 * Tells programs of this user, whatever folder they run in, where the keys to the servers on these ports are. What earlier
 * servers left is removed. Where nothing can be written, programs have to be told.
 */
export const announceAccess = (ports: readonly number[], announced: Announced): void => {
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 })
    for (const name of readdirSync(folder()))
      if (!isLive(read(name))) rmSync(join(folder(), name), { force: true })
    for (const port of ports)
      writeFileSync(join(folder(), fileOf(port)), JSON.stringify(announced), { mode: 0o600 })
  } catch {
    return
  }
}

/** The keys to a server of this user, by any of the addresses it is known by; undefined: it is none that Kiroku runs. */
export const accessAt = (servers: readonly string[]): Access | undefined => {
  for (const server of servers) {
    const port = loopbackPort(server)
    const announced = port === undefined ? undefined : read(fileOf(port))
    if (announced !== undefined && isLive(announced)) return new Access(announced.serverFolder)
  }
  return undefined
}

const fileOf = (port: number): string => `${port}.json`

const read = (name: string): Announced | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder(), name), 'utf8')) as Announced
  } catch {
    return undefined
  }
}

/** The port of an address on loopback that names no user of its own. */
const loopbackPort = (server: string): number | undefined => {
  let url: URL
  try {
    url = new URL(server.includes('://') ? server : `nats://${server}`)
  } catch {
    return undefined
  }
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  return isLoopback && url.username === '' ? Number(url.port || 4222) : undefined
}

const isLive = (announced: Announced | undefined): boolean => {
  if (announced === undefined) return false
  try {
    process.kill(announced.keeperPid, 0)
    return true
  } catch {
    return false
  }
}
