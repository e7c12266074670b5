import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The root of the workspace. */
export const root = path.resolve(import.meta.dirname, '..')

interface ProjectFile {
  readonly targets: Readonly<Record<string, { readonly options: { readonly command: string } }>>
}

const { targets } = JSON.parse(readFileSync(path.join(root, 'project.json'), 'utf8')) as ProjectFile

/** Our own Node and the workspace's tools before everything else on the path. */
const environment = {
  ...process.env,
  PATH: [path.join(root, 'node_modules', '.bin'), path.dirname(process.execPath), process.env['PATH']].join(
    path.delimiter,
  ),
}

/** How long a target may take to end when it is told to. */
const graceMs = 15_000

export interface Outcome {
  /** The exit code; 124 when the target took too long. */
  readonly code: number
  readonly seconds: number
  /** The last lines that it wrote, where they were to be kept. */
  readonly tail: string
}

/** How a target is run other than by default. */
export interface RunOptions {
  /** Variables on top of our own. */
  readonly env?: Readonly<Record<string, string>>
  /** Says nothing, whatever the target says. */
  readonly quiet?: boolean
  /** Keeps the last lines of its output, for which the output has to be passed on by us: no terminal, then. */
  readonly keepsTail?: boolean
}

const tailLines = 40

/**
 * Runs the command of a target of the root project, as Nx would, but without the second or more that Nx adds
 * to each start. Its output goes to ours. A target that exceeds `minutesMax` is ended with all its children.
 */
export const runTarget = (
  target: string,
  extra: ReadonlyArray<string>,
  minutesMax: number,
  { env = {}, quiet = false, keepsTail = false }: RunOptions = {},
): Promise<Outcome> => {
  const command = targets[target]?.options.command
  if (command === undefined) throw new Error(`project.json has no target "${target}"`)
  const started = performance.now()
  const child = spawn([command, ...extra].join(' '), {
    cwd: root,
    env: { ...environment, ...env },
    shell: true,
    detached: true,
    stdio: quiet ? 'ignore' : keepsTail ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
  })
  let tail = ''
  const passOn = (chunk: string): void => {
    process.stderr.write(chunk)
    tail = `${tail}${chunk}`.split('\n').slice(-tailLines).join('\n')
  }
  child.stdout?.setEncoding('utf8').on('data', passOn)
  child.stderr?.setEncoding('utf8').on('data', passOn)
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
    if (!quiet) console.error(`${target} took longer than ${minutesMax} minutes`)
    // What it started in process groups of its own is for it to end; after that, no more patience.
    end('SIGTERM')
    setTimeout(() => end('SIGKILL'), graceMs).unref()
  }, minutesMax * 60_000)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      process.off('SIGINT', interrupt)
      process.off('SIGTERM', interrupt)
      resolve({ code: late ? 124 : (code ?? 1), seconds: (performance.now() - started) / 1000, tail })
    })
  })
}
