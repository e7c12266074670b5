import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, informs, type Figure } from '../Figure.ts'
import { compare, type Side } from '../engine/rounds.ts'
import type { AuditRun } from './AuditRun.ts'
import { startLoaded, type LoadedEngine } from './LoadedEngine.ts'

/** Requests that the viewer has under way at any time. */
const requestsAtOnce = 200

/** Pause of the other viewer between two searches, in ms. */
const lookMs = 250

const tokens = 'eve:viewer:the-token-of-eve,vic:viewer:the-token-of-vic'

/** What the viewer asks for, in turn: the dearest that there is, and what it is refused least. */
const dear = (queue: string): readonly string[] => [
  `/v1/queues/${queue}/recording?state=1&from=10m&frames=1000`,
  `/v1/queues/${queue}/state?at=2s&limit=1000`,
  `/v1/search?q=attempt:>3`,
  `/v1/queues/${queue}/diff?a=1m`,
  '/v1/queues',
]

/** Whole lives under full load, alone and alongside a viewer with 200 requests at once; and how another viewer fares meanwhile. */
export const besideCrowd = async ({ sizes, progress, folder }: AuditRun): Promise<Figure[]> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const crowded = await startLoaded({ isAudited: true, tokens }, await folder(), closers)
    const alone = await startLoaded({ isAudited: true }, await folder(), closers)
    const eve = { answered: 0, refused: 0 }
    const searchesMs: number[] = []
    const crowd = (): (() => Promise<void>) => {
      let isOver = false
      const ask = (name: string, path: string) =>
        fetch(crowded.api + path, { headers: { authorization: `Bearer the-token-of-${name}` } })
      const flood = async (n: number): Promise<void> => {
        const paths = dear(crowded.queue)
        for (let i = n; !isOver; i++) {
          const response = await ask('eve', paths[i % paths.length]!)
          await response.arrayBuffer()
          if (response.ok) eve.answered++
          else eve.refused++
          await sleep(Number(response.headers.get('retry-after') ?? 0) * 1_000)
        }
      }
      const look = async (): Promise<void> => {
        while (!isOver) {
          const beganMs = performance.now()
          const response = await ask('vic', `/v1/search?q=queue:${crowded.queue}&limit=20`)
          if (!response.ok) throw new Error(`the other viewer was refused: ${await response.text()}`)
          await response.arrayBuffer()
          searchesMs.push(performance.now() - beganMs)
          await sleep(lookMs)
        }
      }
      const all = Promise.all([look(), ...Array.from({ length: requestsAtOnce }, (_, n) => flood(n))])
      return async () => {
        isOver = true
        await all
      }
    }
    const side = (name: string, { run }: LoadedEngine, begin: () => () => Promise<void>): Side => {
      let end = (): Promise<void> => Promise.resolve()
      return {
        name,
        count: sizes.besideLives,
        run: () => run(sizes.besideLives),
        before: async () => {
          await crowded.settled()
          await alone.settled()
          end = begin()
          await run(sizes.besideLives)
        },
        after: () => end(),
      }
    }
    const { rates, ratios } = await compare(
      sizes.rounds,
      [
        side('lives alone', alone, () => () => Promise.resolve()),
        side('lives beside 200 requests', crowded, crowd),
      ],
      (text) => progress.step(text),
    )
    searchesMs.sort((a, b) => a - b)
    return [
      informs('lives alone', rates[0]!, '/s'),
      informs("lives beside a viewer's 200 requests at once", rates[1]!, '/s'),
      atMost("deliveries slowed by a viewer's 200 requests", (1 - 1 / ratios[1]!) * 100, '%', 20),
      informs('of them answered', eve.answered, ''),
      informs('of them refused with a pause', eve.refused, ''),
      informs('searches of another viewer answered meanwhile', searchesMs.length, ''),
      informs('median of them', searchesMs[Math.floor(searchesMs.length / 2)] ?? 0, 'ms'),
      informs('slowest of them', searchesMs.at(-1) ?? 0, 'ms'),
    ]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}
