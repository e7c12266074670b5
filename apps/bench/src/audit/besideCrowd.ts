import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, informs, median, type Figure } from '../Figure.ts'
import { compare } from '../engine/rounds.ts'
import type { AuditRun } from './AuditRun.ts'
import { startLoaded, type LoadedEngine } from './LoadedEngine.ts'
import { sideBeside, slowedBy } from './sideBeside.ts'

/** Requests that the viewer has under way, or repeats after the pause that it was told. */
const requestsAtOnce = 200

/** Pause of the other viewer between two searches, in ms. */
const lookMs = 250

const tokens = 'eve:viewer:the-token-of-eve,vic:viewer:the-token-of-vic'

/** What the viewer asks for, in turn: the dearest that there is, and what it is refused least. */
const dear = (queue: string): readonly string[] => [
  `/v1/queues/${queue}/recording?state=1&from=10m&frames=1000`,
  `/v1/queues/${queue}/state?at=2s&limit=1000`,
  `/v1/search?q=attempt:>3`,
  `/v1/queues/${queue}/diff?a=2s`,
  '/v1/queues',
]

/** What the viewers were answered, over all rounds. */
class Answers {
  answered = 0
  refused = 0
  /** How long each search of the other viewer took, in ms. */
  readonly searchesMs: number[] = []
}

/** Has the viewer ask and the other one search; returns what ends both. Errors, at the end: those of unexpected answers. */
const startCrowd = ({ api, queue }: LoadedEngine, answers: Answers): (() => Promise<unknown>) => {
  let isOver = false
  const ask = (name: string, path: string) =>
    fetch(api + path, { headers: { authorization: `Bearer the-token-of-${name}` } })
  const flood = async (first: number): Promise<void> => {
    const paths = dear(queue)
    for (let i = first; !isOver; i++) {
      const path = paths[i % paths.length]!
      const response = await ask('eve', path)
      const text = await response.text()
      const pause = response.headers.get('retry-after')
      if (response.ok) answers.answered++
      else if (pause === null) throw new Error(`${path}: ${text}`)
      else {
        answers.refused++
        await sleep(Number(pause) * 1_000)
      }
    }
  }
  const look = async (): Promise<void> => {
    while (!isOver) {
      const beganMs = performance.now()
      const response = await ask('vic', `/v1/search?q=queue:${queue}&limit=20`)
      const text = await response.text()
      if (!response.ok) throw new Error(`the other viewer was refused: ${text}`)
      answers.searchesMs.push(performance.now() - beganMs)
      await sleep(lookMs)
    }
  }
  const all = Promise.all([look(), ...Array.from({ length: requestsAtOnce }, (_, n) => flood(n))])
  // Thrown at the end, and not as an unhandled rejection before.
  all.catch(() => {})
  return () => {
    isOver = true
    return all
  }
}

/** Whole lives under full load, alone and alongside a viewer with 200 requests at once; and how another viewer fares meanwhile. */
export const besideCrowd = async ({ sizes, progress, folder }: AuditRun): Promise<Figure[]> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const crowded = await startLoaded({ isAudited: true, tokens }, await folder(), closers)
    const alone = await startLoaded({ isAudited: true }, await folder(), closers)
    const answers = new Answers()
    const both = {
      lives: sizes.besideLives,
      settled: async () => {
        await crowded.settled()
        await alone.settled()
      },
    }
    const { rates, ratios } = await compare(
      sizes.rounds,
      [
        sideBeside({ ...both, name: 'lives alone', engine: alone }),
        sideBeside({
          ...both,
          name: 'lives beside 200 requests',
          engine: crowded,
          begin: () => Promise.resolve(startCrowd(crowded, answers)),
        }),
      ],
      (text) => progress.step(text),
    )
    return [
      informs('lives alone', rates[0]!, '/s'),
      informs("lives beside a viewer's 200 requests at once", rates[1]!, '/s'),
      atMost("deliveries slowed by a viewer's 200 requests", slowedBy(ratios[1]!), '%', 20),
      informs('of them answered', answers.answered, ''),
      informs('of them refused with a pause', answers.refused, ''),
      informs('searches of another viewer answered meanwhile', answers.searchesMs.length, ''),
      informs('median of them', median(answers.searchesMs), 'ms'),
      informs('slowest of them', Math.max(...answers.searchesMs), 'ms'),
    ]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}
