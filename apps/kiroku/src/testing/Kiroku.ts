import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The executable as its package has it, where `npm test` bundled it; otherwise the sources, which start in twice the time. */
const main = fileURLToPath(
  new URL(
    process.env['KIROKU_BUNDLED_CLI'] === 'on' ? '../../../../dist/test-cli/dist/main.js' : '../main.ts',
    import.meta.url,
  ),
)

/** The result of a finished command. */
export interface Finished {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
  /** The last line of stdout as JSON. */
  readonly json: () => never
}

/** A running command. */
export interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly finished: Promise<Finished>
}

/** The output of `up --json` and `serve --json` when they are ready. */
export interface Ready {
  readonly api: string
  readonly sqs?: string
  readonly nats: string
  readonly pid: number
}

/** Waits until an engine that was started with `--json` is ready. */
export const readyOf = (running: Running): Promise<Ready> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      const line = running
        .stdout()
        .split('\n')
        .find((text) => text.startsWith('{"ready":true') && text.endsWith('}'))
      if (line !== undefined) resolve(JSON.parse(line) as Ready)
    }
    running.child.stdout?.on('data', look)
    void running.finished.then(({ stderr }) => reject(new Error(`the engine ended: ${stderr}`)))
    look()
  })

/** The real CLI as child processes that work in one folder; each ends at the latest with `killAll`. */
export class Kiroku {
  readonly folder: string
  readonly #env: Readonly<Record<string, string>>
  readonly #running = new Set<ChildProcess>()

  constructor(folder: string, env: Readonly<Record<string, string>> = {}) {
    this.folder = folder
    this.#env = env
  }

  /** Starts a command and leaves it running; with `null` its standard input stays open. */
  start(args: readonly string[], input: string | Uint8Array | null = ''): Running {
    return this.#spawn(process.execPath, [main, ...args], input)
  }

  /** Starts a command on its own terminal, like a user; what the terminal shows is in `stdout`. */
  startOnTerminal(args: readonly string[]): Running {
    const command = [process.execPath, main, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    // A shell that stays in the foreground would exit with the code of its own Ctrl-C.
    return this.#spawn('script', ['-qec', `exec ${command.join(' ')}`, '/dev/null'], null)
  }

  #spawn(program: string, args: readonly string[], input: string | Uint8Array | null): Running {
    const child = spawn(program, args, {
      cwd: this.folder,
      env: {
        ...process.env,
        KIROKU_NATS: '',
        KIROKU_NATS_PORT: '0',
        KIROKU_DEBUG: '',
        KIROKU_CONSOLE: 'off',
        SHELL: '/bin/sh',
        ...this.#env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.stdin.on('error', () => {})
    if (input !== null) child.stdin.end(input)
    const text = (parts: Buffer[]) => () => Buffer.concat(parts).toString()
    const finished = new Promise<Finished>((resolve) =>
      child.once('close', (exit) => {
        this.#running.delete(child)
        const stdout = text(out)()
        const json = () => JSON.parse(stdout.trim().split('\n').at(-1)!) as never
        resolve({ exit, stdout, stderr: text(err)(), json })
      }),
    )
    return { child, stdout: text(out), stderr: text(err), finished }
  }

  /** Runs a command to its end. */
  run(args: readonly string[], input: string | Uint8Array = ''): Promise<Finished> {
    return this.start(args, input).finished
  }

  /** Ends what still runs. */
  async killAll(): Promise<void> {
    const children = [...this.#running]
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('close', resolve))))
  }
}
