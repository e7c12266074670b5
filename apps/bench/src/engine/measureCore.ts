import { atMost, median, type Figure } from '../Figure.ts'
import type { CoreLoad } from '../load/coreLoad.ts'
import { LoadProcess } from '../LoadProcess.ts'
import type { Progress } from '../Progress.ts'
import type { Sizes } from './sizes.ts'

const stepRounds = 9

/** Below the limit of dedup keys, and beyond the steps in which maps and columns grow. */
const grownTo = 990_000
const stallMsMax = 50
const states = {
  leased: '990,000 leased messages',
  grouped: '990,000 groups under way',
  deduplicated: '990,000 dedup keys',
} as const

/** Steps and memory of the pure core, each in fresh processes. */
export const measureCore = async (
  { remembered, memoryRounds }: Sizes,
  progress: Progress,
): Promise<Figure[]> => {
  progress.step('compiled step')
  const stepNs = await inProcess(async (core) => {
    const rounds: number[] = []
    for (let i = 0; i <= stepRounds; i++) rounds.push(await core.ask('stepNs', { lives: 200_000 }))
    return median(rounds.slice(1))
  })
  const memory = async (text: string, ask: (core: LoadProcess<CoreLoad>) => Promise<number>) => {
    progress.step(text)
    const rounds: number[] = []
    for (let i = 0; i < memoryRounds; i++) rounds.push(await inProcess(ask))
    return median(rounds)
  }
  const messages = remembered
  const single = await memory('memory of untouched messages, one a frame', (core) =>
    core.ask('untouchedBytes', { messages, perFrame: 1 }),
  )
  const framed = await memory('memory of untouched messages, 100 a frame', (core) =>
    // More of them, because a million would be lost among the pages of memory.
    core.ask('untouchedBytes', { messages: messages * 10, perFrame: 100 }),
  )
  const live = await memory('memory of live messages', (core) => core.ask('liveBytes', { messages }))
  progress.step('descriptions of a queue')
  const describeMs = (many: number) => inProcess((core) => core.ask('describeMs', { messages: many }))
  const beside = (await describeMs(messages)) / (await describeMs(0))
  const stalls: Figure[] = []
  for (const [state, text] of Object.entries(states) as [keyof typeof states, string][]) {
    progress.step(`growth to ${text}`)
    const { turnMs, copyMs } = await inProcess((core) => core.ask('longestMs', { state, messages: grownTo }))
    stalls.push(
      atMost(`longest turn up to ${text}`, turnMs, 'ms', stallMsMax),
      atMost(`copy of ${text} for a checkpoint`, copyMs, 'ms', stallMsMax),
    )
  }
  return [
    atMost('compiled step', stepNs / 1_000, 'µs', 0.2),
    atMost('untouched message in a run of its own', single, 'bytes', 40),
    atMost('untouched message in frames of 100', framed, 'bytes', 1),
    atMost('live message', live, 'bytes', 150),
    atMost('p99 of a description, with 1,000,000 leased messages over with none', beside, '×', 2),
    ...stalls,
  ]
}

const inProcess = async <R>(use: (core: LoadProcess<CoreLoad>) => Promise<R>): Promise<R> => {
  const core = new LoadProcess<CoreLoad>('coreLoad', 'core', [], { execArgv: ['--expose-gc'] })
  try {
    return await use(core)
  } finally {
    await core.end()
  }
}
