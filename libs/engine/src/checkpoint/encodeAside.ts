import { setImmediate as nextTick } from 'node:timers/promises'
import { CheckpointThread } from './CheckpointThread.ts'
import type { CheckpointThreads } from './CheckpointThreads.ts'
import { piecesOf } from './SnapshotPieces.ts'
import { inTurns } from './inTurns.ts'
import { makeCheckpoint, type CheckpointTask, type MadeCheckpoint } from './makeCheckpoint.ts'
import { itemsIn } from './snapshotLists.ts'

/** Below this many items in a state, encoding takes less time than starting a thread. */
const asideFrom = 5_000
/** A thread whose last checkpoint was larger than this holds too much memory to wait for the next. */
const keptBytesMax = 16 * 1024 * 1024

/**
 * Makes a checkpoint off the actor's thread where the state is large; takes the snapshot over.
 *
 * @param threads for checkpoints that nobody waits for; absent: somebody waits for this one
 */
export const encodeAside = async (
  task: CheckpointTask,
  threads?: CheckpointThreads,
): Promise<MadeCheckpoint> => {
  if (itemsIn(task.snapshot) < asideFrom) return makeCheckpoint(task)
  // Copying, taking apart and starting a thread take a few ms each: yield in between.
  await nextTick()
  const { moved, pieces, rest, lists } = piecesOf(task.snapshot)
  await nextTick()
  const thread = threads?.take() ?? new CheckpointThread({ givesWay: false })
  try {
    thread.send({ make: { ...task, snapshot: rest }, lists }, moved)
    const reply = thread.reply()
    // The `await` below handles it.
    reply.catch(() => {})
    await inTurns(send(thread, pieces))
    const said = await reply
    if (!('made' in said)) throw new Error('unexpected reply of the checkpoint thread')
    const { made } = said
    if (threads !== undefined && made.bytes.length <= keptBytesMax) threads.giveBack(thread)
    else thread.end()
    return made
  } catch (e) {
    thread.end()
    throw e
  }
}

function* send(
  thread: CheckpointThread,
  pieces: ReturnType<typeof piecesOf>['pieces'],
): Generator<undefined, void> {
  for (const { piece, moved } of pieces) {
    thread.send(piece, moved)
    yield
  }
  thread.send('end')
}
