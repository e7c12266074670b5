import { populationOf, type PlayStep } from '@kiroku/audit'
import { renderPopulation, type Population } from '@kiroku/message'
import { shown } from '@kiroku/protocol'
import type { Output } from '../../cli/Output.ts'
import type { PlaySpeed } from './playSpeed.ts'

/** The longest wait between two frames, in ms: many a queue is idle for hours. */
const waitMsMax = 2_000

/** Shows the frames of a replay, one after the other. */
export interface Player {
  readonly step: (step: PlayStep) => Promise<void>
  readonly close: () => void
}

/** Shows a replay: as a moving picture on a terminal, one line per frame elsewhere, ndjson with `--json`. */
export const playTerminal = (out: Output, speed: PlaySpeed, signal: AbortSignal): Player => {
  const moving = !out.json && process.stdout.isTTY
  const keys = speed.kind === 'step' && process.stdin.isTTY ? new Keys() : undefined
  let before: Population | undefined
  let lastAt: number | undefined
  let height = 0
  const draw = (step: PlayStep): void => {
    const population = populationOf(step.counts)
    const text = [
      headOf(step),
      '',
      renderPopulation(population, { colour: true, ...(before === undefined ? {} : { before }) }),
      '',
      keys === undefined ? '' : 'any key: next frame, q: end',
    ]
    const lines = text.join('\n').split('\n')
    if (height > 0) process.stdout.write(`\x1b[${height}A`)
    process.stdout.write(lines.map((line) => `\x1b[K${shown(line)}\n`).join(''))
    height = lines.length
    before = population
  }
  return {
    step: async (step) => {
      signal.throwIfAborted()
      if (speed.kind === 'times' && lastAt !== undefined)
        await pause(Math.min(waitMsMax, (step.at - lastAt) / speed.factor), signal)
      lastAt = step.at
      if (out.json) out.result(step)
      else if (moving) draw(step)
      else out.line(lineOf(step))
      if (keys !== undefined && (await keys.next()) === 'end') throw new Ended()
    },
    close: () => keys?.close(),
  }
}

/** The user has seen enough. */
export class Ended extends Error {}

const headOf = (step: PlayStep): string =>
  `${new Date(step.at).toISOString()}  record ${step.partition}/${step.seq}  ${eventsOf(step)}`.slice(0, 100)

const eventsOf = ({ events }: PlayStep): string => {
  if (events.length === 0) return 'as it stood'
  const sums = new Map<string, number>()
  for (const { type, messages } of events) sums.set(type, (sums.get(type) ?? 0) + messages)
  return [...sums].map(([type, n]) => (n === 0 ? type : `${type} ${n}`)).join(', ')
}

const lineOf = (step: PlayStep): string => {
  const counts = Object.entries(populationOf(step.counts)).filter(([, n]) => n > 0)
  return `${headOf(step)}  ${counts.map(([state, n]) => `${state} ${n}`).join(' ')}`
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })

/** Single keys of the terminal; early ones are kept. */
class Keys {
  readonly #typed: string[] = []
  #waiting: ((key: string) => void) | undefined

  constructor() {
    process.stdin.setRawMode(true)
    process.stdin.on('data', this.#hear)
    process.stdin.once('end', this.#leave)
  }

  async next(): Promise<'go' | 'end'> {
    const key = this.#typed.shift() ?? (await new Promise<string>((resolve) => (this.#waiting = resolve)))
    return endKeys.includes(key) ? 'end' : 'go'
  }

  close(): void {
    process.stdin.off('data', this.#hear)
    process.stdin.off('end', this.#leave)
    process.stdin.setRawMode(false)
    process.stdin.pause()
  }

  readonly #hear = (data: Buffer): void => {
    for (const key of data.toString())
      if (this.#waiting === undefined) this.#typed.push(key)
      else {
        this.#waiting(key)
        this.#waiting = undefined
      }
  }

  readonly #leave = (): void => this.#hear(Buffer.from('q'))
}

/** q, and what a terminal sends for Ctrl-C and Ctrl-D. */
const endKeys: readonly string[] = ['q', '\x03', '\x04']
