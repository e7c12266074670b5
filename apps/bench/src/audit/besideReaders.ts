import { atMost, informs, type Figure } from '../Figure.ts'
import { compare, type Side } from '../engine/rounds.ts'
import type { AuditRun } from './AuditRun.ts'
import { startLoaded, type LoadedEngine } from './LoadedEngine.ts'
import { readers, type Reader } from './Reader.ts'
import { sideBeside, slowedBy } from './sideBeside.ts'

/** Whole lives under full load, alone and alongside every reader, alternating. */
export const besideReaders = async ({ sizes, progress, folder }: AuditRun): Promise<Figure[]> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const read = await startLoaded({ isAudited: true }, await folder(), closers)
    const alone = await startLoaded({ isAudited: false }, await folder(), closers)
    const reads = new Map<string, number>()
    const side = (name: string, engine: LoadedEngine, beside: readonly Reader[]): Side =>
      sideBeside({
        name,
        engine,
        lives: sizes.besideLives,
        settled: read.settled,
        begin: async () => {
          const running = await Promise.all(beside.map((reader) => reader.start(read)))
          return async () => {
            const counts = await Promise.all(running.map((reader) => reader.stop()))
            if (beside.length > 1)
              for (const [i, { name: by }] of beside.entries())
                reads.set(by, (reads.get(by) ?? 0) + counts[i]!)
          }
        },
      })
    const each = sizes.isEachReader ? readers : []
    const { rates, ratios } = await compare(
      sizes.rounds,
      [
        side('lives alone', alone, []),
        side('lives beside all readers', read, readers),
        ...each.map((reader) => side(`lives beside ${reader.name}`, read, [reader])),
      ],
      (text) => progress.step(text),
    )
    const slowed = (i: number): number => slowedBy(ratios[i]!)
    return [
      informs('lives alone', rates[0]!, '/s'),
      informs('lives beside all readers', rates[1]!, '/s'),
      atMost('deliveries slowed by auditor and all readers', slowed(1), '%', 10),
      ...each.map(({ name }, i) => informs(`of them, auditor and ${name}`, slowed(i + 2), '%')),
      ...readers.map(({ name }) => informs(`reads meanwhile: ${name}`, reads.get(name) ?? 0, '')),
    ]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}
