import { setImmediate as nextTick } from 'node:timers/promises'
import { errorFromWire } from '@kiroku/protocol'
import { readCheckpoint, type ReadCheckpoint } from './CheckpointCodec.ts'
import { CheckpointThread } from './CheckpointThread.ts'
import { PieceCollector } from './SnapshotPieces.ts'
import { inTurns } from './inTurns.ts'

/** Below this many bytes, reading takes less time than starting a thread. */
const asideFrom = 512 * 1024
const copyBytes = 4 * 1024 * 1024

/** Reads a checkpoint back, off the actor's thread where it is large. Undefined and errors: as `decodeCheckpoint`. */
export const decodeAside = async (bytes: Uint8Array): Promise<ReadCheckpoint | undefined> => {
  if (bytes.length < asideFrom) return readCheckpoint(bytes)
  const own = await inTurns(copyOf(bytes))
  const thread = new CheckpointThread({ givesWay: false })
  try {
    thread.send({ read: own }, [own.buffer])
    const said = await thread.reply()
    if ('error' in said) throw errorFromWire(said.error)
    if (!('read' in said)) throw new Error('unexpected reply of the checkpoint thread')
    const { read, lists } = said
    if (read === undefined) return undefined
    const collected = new PieceCollector(read.snapshot, lists)
    for (;;) {
      thread.send('next')
      const next = await thread.reply()
      if (!('piece' in next)) throw new Error('unexpected reply of the checkpoint thread')
      if (next.piece === undefined) return { ...read, snapshot: collected.snapshot }
      collected.add(next.piece)
      await nextTick()
    }
  } finally {
    thread.end()
  }
}

/** What a store handed out may be its own. */
function* copyOf(bytes: Uint8Array): Generator<undefined, Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at += copyBytes) {
    copy.set(bytes.subarray(at, at + copyBytes), at)
    yield
  }
  return copy
}
