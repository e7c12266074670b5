import { spawn, type ChildProcess } from 'node:child_process'
import {
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ErrorId } from '@kiroku/protocol'
import { readyTimeoutMs } from './limits.ts'
import { serverConfig, type ServerSettings } from './serverConfig.ts'

/** A nats-server that accepts connections. */
export interface Launched {
  readonly child: ChildProcess
  readonly pid: number
  readonly port: number
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>
}

/** Why a nats-server did not start; plain data, so that the keeper can send it to the engines. */
export interface LaunchFailure {
  readonly id: ErrorId
  readonly message: string
}

/** Where the configuration of the server of `folder` lies; also how its process is recognised. */
export const configFileOf = (folder: string): string => join(folder, 'server.conf')

const sizeOf = (file: string): number => {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

const readFrom = (file: string, offset: number): string => {
  try {
    return readFileSync(file).subarray(offset).toString()
  } catch {
    return ''
  }
}

/** The port on which process `pid` listens, once it does. */
const portOf = (folder: string, pid: number): number | undefined => {
  const name = readdirSync(folder).find((n) => n.endsWith(`_${pid}.ports`))
  if (name === undefined) return undefined
  // The server writes the file in place: until it is whole it does not match.
  const match = /"nats":\s*\[\s*"[^"]*:(\d+)"\s*\]/.exec(readFrom(join(folder, name), 0))
  return match?.[1] === undefined ? undefined : Number(match[1])
}

const failureFrom = (settings: ServerSettings, output: string): LaunchFailure => {
  if (output.includes('address already in use'))
    return {
      id: 'PortInUse',
      message: `Port ${settings.port} on ${settings.host} is used by another program, so nats-server cannot listen on it.`,
    }
  const reasons = output.split('\n').filter((line) => /\[(FTL|ERR)\]|^nats-server:/.test(line))
  const reason = (reasons.length > 0 ? reasons : output.split('\n')).slice(-3).join(' ').trim()
  return {
    id: 'NatsUnreachable',
    message: `nats-server did not start: ${reason || 'it ended without a message'} (log: ${settings.folder}/nats.log).`,
  }
}

/**
 * Writes the configuration into `settings.folder`, starts `binary` with it and waits until it accepts connections.
 * The child is of this process: it is the caller who sees to it that it ends, from `onSpawn` on.
 */
export const launch = async (
  binary: string,
  settings: ServerSettings & { readonly onSpawn: (child: ChildProcess, exited: Promise<void>) => void },
): Promise<Launched | LaunchFailure> => {
  const { folder } = settings
  const log = join(folder, 'nats.log')
  const console = join(folder, 'nats.err')
  const logOffset = sizeOf(log)
  let output: number
  try {
    mkdirSync(folder, { recursive: true })
    for (const name of readdirSync(folder))
      if (name.endsWith('.ports')) rmSync(join(folder, name), { recursive: true })
    const config = serverConfig(settings)
    if (readFrom(configFileOf(folder), 0) !== config) writeFileSync(configFileOf(folder), config)
    output = openSync(console, 'w')
  } catch (error) {
    return { id: 'NatsUnreachable', message: `nats-server cannot be started: ${(error as Error).message}.` }
  }
  const child = spawn(binary, ['-c', configFileOf(folder)], { stdio: ['ignore', output, output] })
  closeSync(output)
  let ended: string | undefined
  const exited = new Promise<void>((resolve) => {
    const end = (reason: string) => {
      ended = reason
      resolve()
    }
    child.once('error', (error) => end(`nats-server: ${binary}: ${error.message}`))
    child.once('exit', () => end(''))
  })
  settings.onSpawn(child, exited)
  const deadlineMs = performance.now() + readyTimeoutMs
  while (ended === undefined) {
    const { pid } = child
    const port = pid === undefined ? undefined : portOf(folder, pid)
    if (pid !== undefined && port !== undefined) return { child, pid, port, exited }
    if (performance.now() > deadlineMs) {
      child.kill('SIGKILL')
      return {
        id: 'NatsUnreachable',
        message: `nats-server did not become ready within ${readyTimeoutMs / 1000} s (log: ${log}).`,
      }
    }
    await Promise.race([pause(5), exited])
  }
  return failureFrom(settings, `${ended}\n${readFrom(console, 0)}${readFrom(log, logOffset)}`)
}
