/**
 * `npm run first-hour [-- --quick] [-- --json]`: does what README.md says, literally and in its order, in a fresh clone
 * of this repository's last commit, and then what the other documents say. Progress goes to standard error.
 * `--quick` takes the packages of this folder in place of `npm ci`, and leaves out the demo and the other documents.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { checkTypes } from './checkTypes.ts'
import { readBlocks, type Block } from './readBlocks.ts'
import { Reader, type Place, type Step } from './Reader.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const quick = process.argv.includes('--quick')
const json = process.argv.includes('--json')

const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'kiroku-first-hour-'))
const clone = path.join(folder, 'kiroku')
const project = path.join(folder, 'my-project')
const bin = path.join(clone, 'node_modules', '.bin')

const blocksOf = (document: string): ReadonlyArray<Block> =>
  readBlocks(document, readFileSync(path.join(clone, document), 'utf8'))

/** The shell of somebody who has just come: nothing of npm's that started us, no settings of ours. */
const newcomer = (): NodeJS.ProcessEnv => {
  const env: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(process.env))
    if (!/^(npm_|KIROKU_|NODE_|INIT_CWD$|CI$|VITEST)/.test(name)) env[name] = value
  const onPath = (env['PATH'] ?? '').split(path.delimiter)
  env['PATH'] = onPath.filter((each) => !/node_modules|node-gyp/.test(each)).join(path.delimiter)
  return env
}

/** The same, with `kiroku` to type, as the documents write it. */
const reader = (): NodeJS.ProcessEnv => ({
  ...newcomer(),
  PATH: [bin, newcomer()['PATH']].join(path.delimiter),
})

const takePackages = async (): Promise<void> => {
  for (const from of globSync('{.,apps/*,libs/*,specs,examples}/node_modules', { cwd: root }))
    // As links, since copies of half a gigabyte would take longer than npm.
    execFileSync('cp', ['-al', path.join(root, from), path.join(clone, from)])
  return Promise.resolve()
}

const instead: Place['instead'] = (command) => {
  if (!quick) return undefined
  if (command === 'npm ci') return takePackages
  return command === 'npm run demo' ? 'left out by --quick' : undefined
}

const told = ({ block, what, seconds, problem, notRun }: Step): void => {
  const came = notRun === undefined ? `${seconds.toFixed(1)} s`.padStart(8) : ' not run'
  const why = problem ?? notRun
  console.error(
    `${came}  ${block.document}:${block.line}  ${what}${why === undefined ? '' : `\n          ${why}`}`,
  )
}

const steps: Step[] = []
const servers = new Set<string>()

/** Follows documents from a folder; nothing that they start outlives it. */
const follow = async (documents: ReadonlyArray<string>, from: string, env: NodeJS.ProcessEnv, first = '') => {
  const here = new Reader({ folder: from, env, instead, told })
  try {
    const start = first === '' ? [] : readBlocks('(engine)', first)
    await here.follow([...start, ...documents.flatMap(blocksOf)])
  } finally {
    await here.close()
    steps.push(...here.steps)
    if (here.nats !== undefined) servers.add(here.nats)
  }
}

/** How the reader of a document gets an engine; it takes free ports, since another may run here. */
const engine = [
  '<!-- runs on, says: Ctrl-C drains and stops -->',
  '```sh',
  'kiroku up --http 127.0.0.1:0 --nats-port 0 --log-level warn',
  '```',
].join('\n')

const followDocuments = async (): Promise<void> => {
  const built = ['client', 'worker'].map((name) => `dist/packages/kiroku-${name}-*.tgz`)
  execFileSync('npm', ['run', '--silent', 'build', '--', 'worker'], { cwd: clone, stdio: 'ignore' })
  const tarballs = globSync(built, { cwd: clone }).map((each) => path.join(clone, each))
  execFileSync('npm', ['install', '--silent', ...tarballs], { cwd: project, stdio: 'ignore' })
  symlinkSync(path.join(clone, 'node_modules', 'zod'), path.join(project, 'node_modules', 'zod'))
  const programs = ['docs/client.md', 'libs/client/README.md', 'libs/worker/README.md']
  await follow(programs, project, reader(), engine)
  for (const document of globSync('docs/**/*.md', { cwd: clone }).sort()) {
    if (programs.includes(document)) continue
    const own = path.join(folder, path.basename(document, '.md'))
    mkdirSync(own)
    await follow([document], own, reader(), engine)
  }
}

const typesOf = async (documents: ReadonlyArray<string>, where: string): Promise<string> =>
  checkTypes(documents.flatMap(blocksOf), where, clone)

/** A managed nats-server outlives its engine for some seconds, and its folder is ours to remove. */
const serverEnds = async (address: string): Promise<void> => {
  const { hostname, port } = new URL(`nats://${address}`)
  for (let answers = true; answers; await setTimeout(answers ? 250 : 0))
    answers = await new Promise((resolve) => {
      const socket = net.connect(Number(port), hostname)
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
}

const isNpm = (what: string): boolean => /^npm (ci|install|init)\b/.test(what)

try {
  const started = performance.now()
  execFileSync('git', ['clone', '--quiet', root, clone])
  console.error(`${((performance.now() - started) / 1_000).toFixed(1)} s  git clone`)
  await follow(['README.md'], clone, newcomer())
  const types = [
    await typesOf(['README.md'], project),
    ...(quick ? [] : [await followDocuments().then(() => typesOf(['docs/client.md'], project))]),
  ].join('')
  if (types !== '') console.error(`The types of programs in the documents are wrong:\n${types}`)

  const handled = steps.findIndex(({ what }) => what === 'node first.mjs')
  const total = ((steps[handled]?.at ?? Infinity) - started) / 1_000
  const npm = steps.slice(0, handled).filter(({ what }) => isNpm(what))
  const waits = total - npm.reduce((sum, { seconds }) => sum + seconds, 0)
  const figure = (name: string, value: number, target: number) =>
    ({ name, value: Number(value.toFixed(1)), unit: 's', target, met: value <= target }) as const
  const figures = [
    figure('git clone to the first message in a program of one’s own', total, 60),
    figure('of which not npm', waits, 15),
  ]
  for (const { name, value, target, met } of figures)
    console.error(`${name}: ${value} s (at most ${target} s: ${met ? 'met' : 'missed'})`)
  const failed = steps.filter(({ problem }) => problem !== undefined).length + (types === '' ? 0 : 1)
  console.error(`${steps.length} steps, ${failed} failed`)
  if (json) console.log(JSON.stringify({ figures }))
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  for (const address of servers) await serverEnds(address)
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
}
