import { spawn, type StdioOptions } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The root of the workspace. */
export const root = path.resolve(import.meta.dirname, '..')

interface ProjectFile {
  readonly targets: Readonly<Record<string, { readonly options: { readonly command: string } }>>
}

const { targets } = JSON.parse(readFileSync(path.join(root, 'project.json'), 'utf8')) as ProjectFile

/** The current Node and the workspace's tools before everything else on the path. */
const environment = {
  ...process.env,
  PATH: [path.join(root, 'node_modules', '.bin'), path.dirname(process.execPath), process.env['PATH']].join(
    path.delimiter,
  ),
}

/** The exit code of what took too long. */
export const lateCode = 124

/** How long a target may take to end after SIGTERM. */
const graceMs = 15_000

export interface Outcome {
  /** The exit code; `lateCode` when it took too long. */
  readonly code: number
  readonly seconds: number
  /** All that it wrote where that was held, the last lines where they were kept, else nothing. */
  readonly output: string
}

/** How something is run other than by default. */
export interface RunOptions {
  /** Variables on top of our own. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * `passed`: it writes to our standard error by itself; `kept`: so do we for it, and keep the last lines, which takes its
   * terminal away; `held`: nothing is said; `dropped`: nor kept.
   */
  readonly output?: 'passed' | 'kept' | 'held' | 'dropped'
}

const tailLines = 40

const stdio = {
  passed: ['ignore', 2, 2],
  kept: ['ignore', 'pipe', 'pipe'],
  held: ['ignore', 'pipe', 'pipe'],
  dropped: 'ignore',
} satisfies Record<string, StdioOptions>

/** Runs a command of the workspace. One that exceeds `minutesMax` is ended with all its children. */
export const runCommand = (
  name: string,
  command: string,
  minutesMax: number,
  { env = {}, output = 'passed' }: RunOptions = {},
): Promise<Outcome> => {
  const started = performance.now()
  const child = spawn(command, {
    cwd: root,
    env: { ...environment, ...env },
    shell: true,
    detached: true,
    stdio: stdio[output],
  })
  let written = ''
  const write = (chunk: string): void => {
    written += chunk
    if (output === 'held') return
    process.stderr.write(chunk)
    written = written.split('\n').slice(-tailLines).join('\n')
  }
  child.stdout?.setEncoding('utf8').on('data', write)
  child.stderr?.setEncoding('utf8').on('data', write)
  let late = false
  const end = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // The group is gone already.
    }
  }
  const interrupt = (): void => end('SIGINT')
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  const timer = setTimeout(() => {
    late = true
    const message = `${name} took longer than ${minutesMax} minutes`
    if (output === 'held') written += `${message}\n`
    else if (output !== 'dropped') console.error(message)
    // It must end what it started in its own process groups; after that it is killed.
    end('SIGTERM')
    setTimeout(() => end('SIGKILL'), graceMs).unref()
  }, minutesMax * 60_000)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      process.off('SIGINT', interrupt)
      process.off('SIGTERM', interrupt)
      const seconds = (performance.now() - started) / 1000
      resolve({ code: late ? lateCode : (code ?? 1), seconds, output: written })
    })
  })
}

/**
 * Runs the command of a target of the root project, as Nx would, but without the second or more that Nx adds
 * to each start.
 */
export const runTarget = (
  target: string,
  extra: ReadonlyArray<string>,
  minutesMax: number,
  options: RunOptions = {},
): Promise<Outcome> => {
  const command = targets[target]?.options.command
  if (command === undefined) throw new Error(`project.json has no target "${target}"`)
  return runCommand(target, [command, ...extra].join(' '), minutesMax, options)
}
