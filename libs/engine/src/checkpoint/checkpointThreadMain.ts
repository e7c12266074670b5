import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { isKirokuError } from '@kiroku/protocol'
import { readCheckpoint } from './CheckpointCodec.ts'
import type { ThreadReply, ThreadTask } from './CheckpointThread.ts'
import { buffersOf, PieceCollector, piecesOf, type Piece } from './SnapshotPieces.ts'
import { makeCheckpoint } from './makeCheckpoint.ts'

const port = parentPort!
const task = workerData as ThreadTask

/** Lets the actor's thread go first. Only on Linux has each thread a priority of its own. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The system does not allow it.
  }
}

/** Memory is moved, because a copy would keep the actor waiting. */
const say = (reply: ThreadReply, moved: ArrayBuffer[] = []): void => port.postMessage(reply, moved)

if ('make' in task) {
  const { make, lists, givesWay } = task
  if (givesWay) giveWay()
  const collected = new PieceCollector(make.snapshot, lists)
  port.on('message', (message: Piece | 'end') => {
    if (message !== 'end') return collected.add(message)
    const made = makeCheckpoint({ ...make, snapshot: collected.snapshot })
    say({ made }, buffersOf([made.bytes]))
    port.close()
  })
} else {
  try {
    const read = readCheckpoint(task.read)
    if (read === undefined) say({ read, lists: 0 })
    else {
      const { rest, lists, moved, pieces } = piecesOf(read.snapshot)
      port.on('message', () => {
        const next = pieces.next()
        if (next.done === true) {
          say({ piece: undefined })
          port.close()
        } else say({ piece: next.value.piece }, next.value.moved)
      })
      say({ read: { ...read, snapshot: rest }, lists }, moved)
    }
  } catch (e) {
    if (!isKirokuError(e)) throw e
    say({ error: e.toWire() })
  }
}
