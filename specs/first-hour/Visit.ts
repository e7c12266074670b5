import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { managedStatus } from '@kiroku/nats-server'
import { readBlocks, type Block } from './readBlocks.ts'
import { Reader, type Place, type Step } from './Reader.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

/** What git ignores, and git itself: a clone has none of it. */
const isKept = (file: string): boolean =>
  !['node_modules', 'dist', '.nx', '.kiroku', 'coverage', '.git'].includes(path.basename(file))

/** A newcomer's shell: without npm's variables and our settings, but for where servers come from and whom this machine trusts. */
const newcomer = (): NodeJS.ProcessEnv => {
  const env: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(process.env))
    if (!/^(npm_|KIROKU_(?!NATS_RELEASE$)|NODE_(?!EXTRA_CA_CERTS$)|INIT_CWD$|CI$|VITEST)/.test(name))
      env[name] = value
  const onPath = (env['PATH'] ?? '').split(path.delimiter)
  env['PATH'] = onPath.filter((each) => !/node_modules|node-gyp/.test(each)).join(path.delimiter)
  return env
}

/** How a visit goes. */
export interface VisitOptions {
  /** Uses this folder instead of a clone and `npm ci`, and leaves out the demo. */
  readonly quick: boolean
  readonly told: (step: Step) => void
}

/** A newcomer in a fresh folder, with a clone of this repository in it and, later on, a project of their own. */
export class Visit {
  readonly folder: string = mkdtempSync(path.join(realpathSync(tmpdir()), 'kiroku-first-hour-'))
  readonly clone: string = path.join(this.folder, 'kiroku')
  readonly project: string = path.join(this.folder, 'my-project')
  readonly steps: Step[] = []
  readonly #options: VisitOptions
  readonly #readers = new Set<Reader>()
  readonly #folders = new Set<string>([this.clone, this.project])
  #isKilled = false

  constructor(options: VisitOptions) {
    this.#options = options
  }

  /** Clones the last commit; a quick visit takes the files as they are here. */
  takeClone(): void {
    if (!this.#options.quick) execFileSync('git', ['clone', '--quiet', root, this.clone])
    else cpSync(root, this.clone, { recursive: true, verbatimSymlinks: true, filter: isKept })
  }

  blocksOf(document: string): ReadonlyArray<Block> {
    return readBlocks(document, readFileSync(path.join(this.clone, document), 'utf8'))
  }

  /** Follows documents in the clone, as they are typed there. */
  async followHere(documents: ReadonlyArray<string>): Promise<void> {
    await this.#follow(documents, this.clone, newcomer(), '')
  }

  /** Follows documents that use `kiroku` in their own folder, with an engine started there. */
  async followIn(folder: string, documents: ReadonlyArray<string>): Promise<void> {
    mkdirSync(folder, { recursive: true })
    this.#folders.add(folder)
    const env = newcomer()
    const bin = path.join(this.clone, 'node_modules', '.bin')
    await this.#follow(documents, folder, { ...env, PATH: [bin, env['PATH']].join(path.delimiter) }, engine)
  }

  /** Ends what still runs at once, and leaves nothing behind. */
  async kill(): Promise<void> {
    this.#isKilled = true
    for (const reader of this.#readers) reader.kill()
    await this.close()
  }

  /** Leaves nothing behind. */
  async close(): Promise<void> {
    for (const each of this.#folders) await serverEnds(path.join(each, '.kiroku'))
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
  }

  async #follow(
    documents: ReadonlyArray<string>,
    from: string,
    env: NodeJS.ProcessEnv,
    first: string,
  ): Promise<void> {
    if (this.#isKilled) return
    const { told } = this.#options
    const reader = new Reader({ folder: from, env, instead: this.#instead, told })
    this.#readers.add(reader)
    try {
      const start = first === '' ? [] : readBlocks('(engine)', first)
      await reader.follow([...start, ...documents.flatMap((document) => this.blocksOf(document))])
    } finally {
      await reader.close()
      this.#readers.delete(reader)
      this.steps.push(...reader.steps)
    }
  }

  readonly #instead: Place['instead'] = (command) => {
    if (!this.#options.quick) return undefined
    if (command === 'npm ci') return this.#takePackages
    return command === 'npm run demo' ? 'left out by --quick' : undefined
  }

  readonly #takePackages = (): Promise<void> => {
    for (const from of globSync('{.,apps/*,libs/*,specs,examples}/node_modules', { cwd: root })) {
      const [here, there] = [path.join(root, from), path.join(this.clone, from)]
      // As links where that can be, since copies of half a gigabyte take longer than npm.
      try {
        execFileSync('cp', ['-al', here, there], { stdio: 'ignore' })
      } catch {
        execFileSync('cp', ['-a', here, there])
      }
    }
    return Promise.resolve()
  }
}

/** How the reader of a document gets an engine; it takes free ports, since another may run here. */
const engine = [
  '<!-- runs on, says: Ctrl-C drains and stops -->',
  '```sh',
  'kiroku up --http 127.0.0.1:0 --nats-port 0 --log-level warn',
  '```',
].join('\n')

/** A managed nats-server outlives its engine for some seconds, unless its keeper is configured not to. */
const serverEnds = async (dataDir: string): Promise<void> => {
  for (let told = false; ; told = true) {
    const status = managedStatus(dataDir)
    if (status === undefined) return
    if (!told) process.kill(status.keeperPid, 'SIGTERM')
    await setTimeout(100)
  }
}
