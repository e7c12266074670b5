import type { Ownership } from '@kiroku/partition'
import type { AppendPipeline } from '../append/AppendPipeline.ts'
import type { Fenced } from '../append/fence.ts'
import type { Loaded } from '../checkpoint/StateLoad.ts'
import type { ActorParts } from './ActorParts.ts'
import { skipForeign } from './skipForeign.ts'

/** What an owner begins with. */
interface Beginning {
  readonly loaded: Loaded
  readonly fenced: Fenced
  readonly own: Ownership
  readonly pipeline: AppendPipeline
  /** Partition time that was reached before, in ms; 0 for an ownership that is new. */
  readonly reachedMs: number
  readonly recordBytesMax: number
  /** Called when commands can be decided, before the first one is. */
  readonly recovered: () => void
}

/** Gives the parts of an actor a state to work on, behind a fence, and has the first turn decided. */
export const beginParts = (parts: ActorParts, beginning: Beginning): void => {
  const { loaded, fenced, own, pipeline, reachedMs, recordBytesMax, recovered } = beginning
  const { partitionTime, checkpoints, cache, sizes, writer, gate, deliverer, intake, loop, notes, storage } =
    parts
  const { state } = loaded
  const resumed = partitionTime.begin(state, fenced, reachedMs)
  writer.begin(loaded.largeBodies)
  checkpoints.begin(loaded, partitionTime.beganMs)
  cache.stored(fenced.seq)
  sizes.fit(recordBytesMax)
  recovered()
  gate.begin(state.epoch, fenced.seq)
  deliverer.begin(state)
  intake.begin(state)
  loop.begin(own, pipeline)
  loop.act((turn) => {
    if (!resumed.isAlone) resumed.record(turn, turn.now)
    return skipForeign(turn, loaded.foreign)
  })
  notes.begin(state)
  storage.start()
  for (const task of parts.tasks) task.begin(own, fenced.seq)
  // What came while the clocks disagreed moves with the time, ahead of everything that is decided by it.
  if (resumed.isAlone) loop.decideAlone((turn) => resumed.record(turn, partitionTime.now()))
  loop.turn()
}
