/**
 * `npm run check [-- step…] [--json]`: the answer within two minutes, and within thirty seconds after a small change.
 * What passed unchanged is not checked again: `node_modules/.cache` knows it by content and versions.
 * One line per step, and the whole output of those that fail; `--json` adds a last line.
 */
import { ownFiles } from '../ImportGraph.ts'
import { runCommand, type Outcome } from '../runTarget.ts'
import { keyOf, readCache, writeCache } from './cache.ts'

interface Step {
  readonly name: string
  readonly command: string
  /** Where all that it reads is known: it is not run again while none of it changed. */
  readonly reads?: (file: string) => boolean
}

const files = ownFiles()
const toolTests = files.filter((file) => /^tools\/.*(?<!\/pack)\.test\.ts$/.test(file))
/** Those that read no sources but the tools, the launcher and the lists of packages. */
const apart = ['tools/launcher.test.ts', 'tools/lockfile.test.ts', 'tools/walls.test.ts']

/** The longest first, since two run at a time. */
const steps: ReadonlyArray<Step> = [
  { name: 'unit', command: 'node tools/check/unit.ts' },
  { name: 'types and lint', command: 'node tools/check/lint.ts' },
  {
    name: 'simulator',
    command: 'node specs/simulation/main.ts --seed 1 --seeds 30',
    reads: (file) => /^(libs|specs\/simulation)\//.test(file) && !/\.test\.ts$/.test(file),
  },
  // The circles of imports, the sizes of files, and that every mutant finds its text.
  {
    name: 'tooling',
    command: `vitest run --project tooling --reporter=dot ${toolTests.filter((file) => !apart.includes(file)).join(' ')}`,
  },
  {
    name: 'walls',
    command: `vitest run --project tooling --reporter=dot ${apart.join(' ')}`,
    reads: (file) =>
      /^(tools|apps\/kiroku\/bin)\/|(^|\/)package(-lock)?\.json$|^(oxlint|vitest)\.config\.ts$|^\.npmrc$/.test(
        file,
      ),
  },
  { name: 'dead code', command: 'knip --cache' },
  { name: 'format', command: 'oxfmt --check' },
]
/** As many as the smallest machines have cores. */
const atOnceMax = 2
const stepMinutesMax = 5

interface Result {
  readonly step: string
  readonly ok: boolean
  readonly seconds: number
  /** Nothing that it reads changed since it passed. */
  readonly unchanged: boolean
}

const json = process.argv.includes('--json')
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const chosen = steps.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
if (chosen.length === 0) {
  console.error(`No step ${wanted.join(', ')}. There are: ${steps.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

const startedMs = performance.now()
const passed: Record<string, string> = readCache('steps', {})
const results: Result[] = []

const tell = (result: Result, { output }: Pick<Outcome, 'output'>): void => {
  results.push(result)
  const note = result.unchanged
    ? 'unchanged'
    : /^\d+ of \d+ files$/.exec(output.trimEnd().split('\n').at(-1) ?? '')
  console.log(
    `${result.ok ? 'passed' : 'FAILED'}  ${result.step.padEnd(24)}${result.seconds.toFixed(1).padStart(6)} s${note === null ? '' : `  ${note}`}`,
  )
  if (!result.ok) console.log(output.trimEnd().replaceAll(/^/gm, '    '))
}

const run = async ({ name, command, reads }: Step): Promise<void> => {
  const key = reads === undefined ? undefined : keyOf(files.filter(reads))
  if (key !== undefined && passed[name] === key)
    return tell({ step: name, ok: true, seconds: 0, unchanged: true }, { output: '' })
  const outcome = await runCommand(name, command, stepMinutesMax, { output: 'held' })
  const ok = outcome.code === 0
  if (key !== undefined && ok) writeCache('steps', Object.assign(passed, { [name]: key }))
  tell({ step: name, ok, seconds: outcome.seconds, unchanged: false }, outcome)
}

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (interrupted = true))
const waiting = [...chosen]
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined && !interrupted; next = waiting.shift()) await run(next)
}
await Promise.all(Array.from({ length: atOnceMax }, work))

const failed = results.filter(({ ok }) => !ok).length + chosen.length - results.length
const seconds = Math.round((performance.now() - startedMs) / 100) / 10
console.log(`${chosen.length - failed} passed, ${failed} failed in ${seconds} s`)
if (json) console.log(JSON.stringify({ passed: chosen.length - failed, failed, seconds, steps: results }))
process.exitCode = failed > 0 ? 1 : 0
