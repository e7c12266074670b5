import { atMost, informs, type Figure } from '../Figure.ts'
import { compare, type Side } from '../engine/rounds.ts'
import type { AuditRun } from './AuditRun.ts'
import { startLoaded, type LoadedEngine } from './LoadedEngine.ts'
import { slowedBy } from './sideBeside.ts'

/** Whole lives under full load, with the auditor and without it, alternating. */
export const besideLoad = async ({ sizes, progress, folder }: AuditRun): Promise<Figure[]> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const withAuditor = await startLoaded({ isAudited: true }, await folder(), closers)
    const without = await startLoaded({ isAudited: false }, await folder(), closers)
    const lag = { records: 0 }
    const side = (name: string, { run }: LoadedEngine): Side => ({
      name,
      count: sizes.besideLives,
      run: () => run(sizes.besideLives),
      // What the auditor has left to read must not disturb the round of the other.
      before: () => withAuditor.settled(),
      after: async () => {
        lag.records = Math.max(lag.records, await withAuditor.lag())
      },
    })
    const { rates, ratios } = await compare(
      sizes.rounds,
      [side('lives without an auditor', without), side('lives beside an auditor', withAuditor)],
      (text) => progress.step(text),
    )
    return [
      informs('lives without an auditor', rates[0]!, '/s'),
      informs('lives beside an auditor', rates[1]!, '/s'),
      atMost('deliveries slowed by the auditor', slowedBy(ratios[1]!), '%', 10),
      informs('records that it was behind at the end of a round', lag.records, ''),
    ]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}
