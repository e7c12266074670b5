import type { Log } from '@kiroku/log'
import type { DecodeCheckpoint } from '../replay/Checkpoint.ts'
import type { OnProgress } from '../replay/Progress.ts'
import { Replay } from '../replay/Replay.ts'
import type { SavedStateStore } from '../replay/SavedState.ts'
import type { LostPartition } from '../replay/missingText.ts'
import { openPartition } from '../replay/openPartition.ts'
import { passesActFilter, type Act, type ActFilter } from './Act.ts'
import { actOf } from './actOf.ts'
import { actsBetween, type ActSpan } from './actsBetween.ts'

/** How to look for acts. */
export interface ReadActsOptions {
  readonly decodeCheckpoint: DecodeCheckpoint
  readonly moments?: SavedStateStore
  readonly onProgress?: OnProgress
  /** Called now and then, to let other work run. */
  readonly pause?: () => Promise<void>
  /** Called for each missing partition; absent: the first one is an error. */
  readonly onMissing?: (missing: LostPartition) => void
  /** What an index has already: the acts asked for, up to these sequences per partition. */
  readonly known?: { readonly acts: readonly Act[]; readonly reached: ReadonlyMap<number, number> }
}

/**
 * All acts on record, latest first. What an index has read is taken from it; of the rest only the frames
 * around acts are replayed. Errors: those of a pass.
 */
export const readActs = async (log: Log, filter: ActFilter, options: ReadActsOptions): Promise<Act[]> => {
  const { decodeCheckpoint, moments, onProgress, onMissing, pause, known } = options
  const acts: Act[] = [...(known?.acts ?? [])]
  let before = 0
  for (let n = 0; n < log.meta.partitions; n++) {
    const { handle: partition, problem } =
      onMissing === undefined ? { handle: await log.partition(n) } : await openPartition(log, n)
    if (partition === undefined) {
      onMissing?.({ partition: n, problem })
      continue
    }
    try {
      const { lastSeq } = await partition.state()
      const reached = known?.reached.get(n) ?? 0
      if (reached >= lastSeq) continue
      const onRead = (seq: number) => {
        onProgress?.({ partition: n, seq, lastSeq, events: before })
        return pause?.()
      }
      const span: ActSpan =
        reached === 0 ? { kind: 'unclear' } : await actsBetween(partition, reached, lastSeq, onRead)
      if (span.kind === 'none') continue
      const [near, toSeq] = span.kind === 'some' ? [span.first - 1, span.last] : [reached, lastSeq]
      let told = reached
      const pass = await Replay.open(partition, {
        decodeCheckpoint,
        ...(moments === undefined ? {} : { moments }),
        ...(pause === undefined ? {} : { pause }),
        ...(reached === 0 ? {} : { near }),
        onRecord: (seq, events) => onProgress?.({ partition: n, seq, lastSeq, events: before + events }),
        listeners: [
          {
            event: (event, index, frame, state) => {
              if (frame.seq <= told) return
              const act = actOf(event, frame.seq, index, state)
              if (act !== undefined && passesActFilter(filter, act)) acts.push(act)
            },
            restarted: (seq, reason) => {
              if (reason !== 'rewound') return
              told = Math.min(told, seq)
              for (let i = acts.length - 1; i >= 0; i--)
                if (acts[i]!.partition === n && acts[i]!.seq > seq) acts.splice(i, 1)
            },
          },
        ],
      })
      await pass.run(toSeq)
      before += pass.events
    } finally {
      await partition.close()
    }
  }
  return acts.sort(latestFirst)
}

const latestFirst = (a: Act, b: Act): number =>
  b.at - a.at || a.partition - b.partition || b.seq - a.seq || b.index - a.index
