import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { informs, type Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { fill } from '../shapes/measureTurns.ts'
import { Report } from '../shapes/Report.ts'
import { ShapeSystems, type ShapeSystem } from '../shapes/ShapeSystems.ts'
import type { ShapesRun } from '../shapes/ShapesRun.ts'
import { fullSizes, quickSizes } from '../shapes/sizes.ts'
import {
  allocationShares,
  begunFile,
  type PhaseProfile,
  processorShares,
  profileFile,
  profileFolder,
  type Share,
} from './PhaseProfile.ts'
import type { ProfiledShape } from './ProfiledShape.ts'

/** How a shape is profiled. */
export interface ProfileBenchOptions {
  readonly shape: ProfiledShape
  readonly quick: boolean
  /** Folder for the profiles themselves, which Chromium and editors open; absent: they are only summed up. */
  readonly folder: string | undefined
}

/** What a shape cost, and a text that says where. */
export interface ProfiledFigures {
  readonly figures: readonly Figure[]
  readonly text: string
}

const probe = new URL('./phaseProbe.ts', import.meta.url).href

/** How long the phase takes, in ms; what the rounds that prepare it take of that. */
const phaseMs = { full: 5_000, quick: 500 }
const warmUps = [0.1, 0.5, 1]
/** Functions that are listed of each process. */
const listed = 12
/** How long a process may take to begin, or to write what it has, in ms. */
const probeMsMax = 30_000
const lookMs = 20

/** Profiles every process of Kiroku in one phase of a shape, without its start: processor, allocations, collections. */
export const profileBench = async (options: ProfileBenchOptions): Promise<ProfiledFigures> => {
  const { quick } = options
  const texts: string[] = []
  const sizes = quick ? quickSizes : fullSizes
  const beside = { sizes, isQuick: quick, profile: undefined, report: new Report() }
  const figures = await runParts(
    { profile: (run: ShapesRun) => measure(run, options, (text) => texts.push(text)) },
    [],
    beside,
  )
  return { figures, text: texts.join('\n') }
}

const measure = async (
  run: ShapesRun,
  { shape: { bodyBytes, phase }, quick, folder }: ProfileBenchOptions,
  say: (text: string) => void,
): Promise<Figure[]> => {
  const probed = await run.folder()
  // Each process of Node that is started from here loads it, and those that they start.
  process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --import ${probe}`
  process.env[profileFolder] = probed
  await using servers = new ShapeSystems(run)
  run.progress.step('starting Kiroku')
  const system = await servers.kiroku()
  const prepare = async (messages: number): Promise<void> => {
    if (phase.kind === 'handle') await fill(system, messages, bodyBytes)
    await system.own!.audited()
  }
  const most = Math.floor(run.sizes.turnBytes / bodyBytes)
  let messages = Math.min(run.sizes.messages, most)
  for (const share of warmUps) {
    run.progress.step(`${messages} messages to warm up`)
    await prepare(messages)
    const tookMs = await phase.run(system, messages)
    if (phase.kind === 'send') await system.load.ask('consume', { messages })
    const wanted = (messages / tookMs) * (quick ? phaseMs.quick : phaseMs.full) * share
    messages = Math.max(1, Math.min(most, Math.ceil(wanted)))
  }
  await prepare(messages)
  const { 'nats-server': _, ...pids } = system.own!.pids()
  run.progress.step(`${messages} messages with profilers`)
  await signal(probed, pids, begunFile)
  const before = system.spent()
  const tookMs = await phase.run(system, messages)
  const after = system.spent()
  await signal(probed, pids, profileFile)
  const figures = [
    informs('messages', (messages * 1_000) / tookMs, '/s'),
    ...spentOf(before, after, messages),
  ]
  for (const [name, pid] of Object.entries(pids)) {
    const profile = JSON.parse(await readFile(join(probed, profileFile(pid)), 'utf8')) as PhaseProfile
    figures.push(...figuresOf(name, profile))
    say(textOf(name, profile))
    if (folder !== undefined) await keep(folder, name, profile)
  }
  return figures
}

/** Tells each process, and waits until each has written its file. */
const signal = async (
  folder: string,
  pids: Readonly<Record<string, number>>,
  fileOf: (pid: number) => string,
): Promise<void> => {
  for (const pid of Object.values(pids)) process.kill(pid, 'SIGUSR2')
  const untilMs = performance.now() + probeMsMax
  for (const [name, pid] of Object.entries(pids))
    while (!existsSync(join(folder, fileOf(pid)))) {
      if (performance.now() > untilMs) throw new Error(`the process ${name} did not answer its profiler`)
      await pause(lookMs)
    }
}

const spentOf = (before: Spent, after: Spent, messages: number): Figure[] =>
  Object.entries(after).map(([name, ms]) =>
    informs(`${name}, processor a message`, ((ms - (before[name] ?? 0)) * 1_000) / messages, 'µs'),
  )
type Spent = ReturnType<ShapeSystem['spent']>

const figuresOf = (name: string, { collections }: PhaseProfile): Figure[] => [
  informs(`${name}, young collections`, collections.young, ''),
  informs(`${name}, waited for young collections`, collections.youngMs, 'ms'),
  informs(`${name}, full collections`, collections.full, ''),
  informs(`${name}, waited for full collections`, collections.fullMs, 'ms'),
]

const textOf = (name: string, { processor, allocations }: PhaseProfile): string =>
  [
    `${name}: processor`,
    ...linesOf(processorShares(processor)),
    `${name}: allocations`,
    ...linesOf(allocationShares(allocations)),
    '',
  ].join('\n')

const linesOf = (shares: readonly Share[]): string[] =>
  shares.slice(0, listed).map(({ name, share }) => `  ${(share * 100).toFixed(1).padStart(5)} %  ${name}`)

const keep = async (
  folder: string,
  name: string,
  { processor, allocations }: PhaseProfile,
): Promise<void> => {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.cpuprofile`), JSON.stringify(processor))
  await writeFile(join(folder, `${name}.heapprofile`), JSON.stringify(allocations))
}
