/**
 * `npm run first-hour [-- --quick] [-- --json]`: does what README.md says, literally and in its order, in a
 * fresh clone of this repository's last commit and in a project next to it, and then what the other documents
 * say. Progress goes to standard error; with `--json` the last line of standard output has the figures.
 * `--quick` uses the files and packages of this folder instead of a clone and `npm ci`, and leaves out the
 * demo and what the stage `pack` follows with the published packages.
 */
import { execFileSync } from 'node:child_process'
import { globSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { checkTypes } from './checkTypes.ts'
import { packaged } from './packaged.ts'
import { isFollowed } from './readBlocks.ts'
import type { Step } from './Reader.ts'
import { Visit } from './Visit.ts'

const { quick, json } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
}).values

const told = ({ block, what, seconds, problem, notRun }: Step): void => {
  const came = notRun === undefined ? `${seconds.toFixed(1)} s`.padStart(8) : ' not run'
  const why = problem ?? notRun
  console.error(
    `${came}  ${block.document}:${block.line}  ${what}${why === undefined ? '' : `\n          ${why}`}`,
  )
}

const visit = new Visit({ quick, told })

const giveUp = (): void => void visit.kill().finally(() => process.exit(1))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, giveUp)
// Nobody reads on, as behind `| head`.
for (const stream of [process.stdout, process.stderr]) stream.once('error', giveUp)

/** With the packages that README.md has its reader build, and the worker's beside. */
const followPackaged = async (): Promise<void> => {
  const built = ['client', 'worker'].map((name) => `dist/packages/kiroku-${name}-*.tgz`)
  execFileSync('npm', ['run', '--silent', 'build', '--', 'worker'], { cwd: visit.clone, stdio: 'ignore' })
  const tarballs = globSync(built, { cwd: visit.clone }).map((each) => path.join(visit.clone, each))
  execFileSync('npm', ['install', '--silent', ...tarballs], { cwd: visit.project, stdio: 'ignore' })
  symlinkSync(path.join(visit.clone, 'node_modules', 'zod'), path.join(visit.project, 'node_modules', 'zod'))
  await visit.followIn(visit.project, packaged)
}

/** The other documents, each in its own folder, two at a time: they wait more than they work. */
const followOthers = async (): Promise<void> => {
  const documents = globSync('docs/**/*.md', { cwd: visit.clone }).sort()
  const left = documents.filter(
    (document) => !packaged.includes(document) && visit.blocksOf(document).some(isFollowed),
  )
  const followNext = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      await visit.followIn(path.join(visit.folder, path.basename(next, '.md')), [next])
  }
  await Promise.all([followNext(), followNext()])
}

const typesOf = (documents: ReadonlyArray<string>): Promise<string> =>
  checkTypes(
    documents.flatMap((document) => visit.blocksOf(document)),
    visit.project,
    visit.clone,
  )

/** How long a newcomer waited for the first message in a program of their own, and for what. */
const figuresOf = (steps: ReadonlyArray<Step>, started: number) => {
  const handled = steps.findIndex(({ what }) => what === 'node first.mjs')
  const total = ((steps[handled]?.at ?? Infinity) - started) / 1_000
  const npm = steps.slice(0, handled).filter(({ what }) => /^npm (ci|install|init)\b/.test(what))
  const waits = total - npm.reduce((sum, { seconds }) => sum + seconds, 0)
  const figure = (name: string, value: number, target: number) =>
    ({ name, value: Number(value.toFixed(1)), unit: 's', target, met: value <= target }) as const
  return [
    figure('git clone to the first message in a program of one’s own', total, 60),
    figure('of which not npm', waits, 15),
  ]
}

try {
  const started = performance.now()
  visit.takeClone()
  console.error(`${((performance.now() - started) / 1_000).toFixed(1)} s  git clone`)
  await visit.followHere(['README.md'])
  const figures = figuresOf(visit.steps, started)
  await followOthers()
  if (!quick) await followPackaged()
  const types = quick ? '' : await typesOf(['README.md', ...packaged])
  if (types !== '') console.error(`The types of programs in the documents are wrong:\n${types}`)

  for (const { name, value, target, met } of figures)
    console.error(`${name}: ${value} s (at most ${target} s: ${met ? 'met' : 'missed'})`)
  const wrong = visit.steps.filter(({ problem }) => problem !== undefined)
  if (wrong.length > 0) console.error('What went wrong:')
  for (const step of wrong) told(step)
  const failed = wrong.length + (types === '' ? 0 : 1)
  console.error(`${visit.steps.length} steps, ${failed} failed`)
  if (json) console.log(JSON.stringify({ figures }))
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  await visit.close()
}
