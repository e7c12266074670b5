import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { versionMinimum } from './limits.ts'

/** An executable nats-server and the version it says it is. */
export interface NatsBinary {
  readonly path: string
  readonly version: string
}

/** File name of the server on this system. */
export const executable = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server'

const run = promisify(execFile)

/** Negative when version `a` is older than `b`, positive when newer, 0 when equal; suffixes do not count. */
export const compareVersions = (a: string, b: string): number => {
  const [x, y] = [a, b].map((version) => version.split(/[.\-+]/).map(Number))
  for (const i of [0, 1, 2]) {
    const difference = (x?.[i] || 0) - (y?.[i] || 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Whether a server of this version is new enough. */
export const isSupported = (version: string): boolean => compareVersions(version, versionMinimum) >= 0

/** Asks the program at `path` for its version; undefined when it is not a nats-server that runs here. */
export const probe = async (path: string): Promise<NatsBinary | undefined> => {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 10_000 })
    const version = /nats-server: v(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1]
    return version === undefined ? undefined : { path, version }
  } catch {
    return undefined
  }
}
