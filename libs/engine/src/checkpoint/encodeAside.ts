import { setImmediate as nextTick } from 'node:timers/promises'
import { CheckpointThread } from './CheckpointThread.ts'
import { piecesOf } from './SnapshotPieces.ts'
import { inTurns } from './inTurns.ts'
import { makeCheckpoint, type CheckpointTask, type MadeCheckpoint } from './makeCheckpoint.ts'
import { itemsIn } from './snapshotLists.ts'

/** Below this many items in a state, encoding takes less time than starting a thread. */
const asideFrom = 5_000

/**
 * Makes a checkpoint off the actor's thread where the state is large; takes the snapshot over.
 *
 * @param givesWay whether it may take as long as the actor leaves it time for
 */
export const encodeAside = async (task: CheckpointTask, givesWay = false): Promise<MadeCheckpoint> => {
  if (itemsIn(task.snapshot) < asideFrom) return makeCheckpoint(task)
  // Copying, taking apart and starting a thread take a few ms each: yield in between.
  await nextTick()
  const { moved, pieces, rest, lists } = piecesOf(task.snapshot)
  await nextTick()
  const thread = new CheckpointThread({ make: { ...task, snapshot: rest }, lists, givesWay }, moved)
  const reply = thread.reply()
  // The `await` below handles it.
  reply.catch(() => {})
  await inTurns(send(thread, pieces))
  const said = await reply
  if ('made' in said) return said.made
  throw new Error('unexpected reply of the checkpoint thread')
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
