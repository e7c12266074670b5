import { parentPort } from 'node:worker_threads'
import { isKirokuError } from '@kiroku/protocol'
import { readCheckpoint } from './CheckpointCodec.ts'
import type { ThreadMessage, ThreadReply } from './CheckpointThread.ts'
import { buffersOf, PieceCollector, piecesOf } from './SnapshotPieces.ts'
import { makeCheckpoint, type CheckpointTask } from './makeCheckpoint.ts'

const port = parentPort!

/** Memory is moved, because a copy would keep the actor waiting. */
const say = (reply: ThreadReply, moved: ArrayBuffer[] = []): void => port.postMessage(reply, moved)

/** What is collected to be made a checkpoint, or read and asked for piece by piece. */
let making: { readonly task: CheckpointTask; readonly collected: PieceCollector } | undefined
let read: ReturnType<typeof piecesOf>['pieces'] | undefined

const make = ({ task, collected }: NonNullable<typeof making>): void => {
  making = undefined
  const made = makeCheckpoint({ ...task, snapshot: collected.snapshot })
  say({ made }, buffersOf([made.bytes]))
}

const begin = (bytes: Uint8Array): void => {
  try {
    const checkpoint = readCheckpoint(bytes)
    if (checkpoint === undefined) return say({ read: undefined, lists: 0 })
    const { rest, lists, moved, pieces } = piecesOf(checkpoint.snapshot)
    read = pieces
    say({ read: { ...checkpoint, snapshot: rest }, lists }, moved)
  } catch (e) {
    if (!isKirokuError(e)) throw e
    say({ error: e.toWire() })
  }
}

const sayNext = (): void => {
  const next = read!.next()
  if (next.done === true) say({ piece: undefined })
  else say({ piece: next.value.piece }, next.value.moved)
}

port.on('message', (message: ThreadMessage) => {
  if (message === 'end') make(making!)
  else if (message === 'next') sayNext()
  else if ('items' in message) making!.collected.add(message)
  else if ('read' in message) begin(message.read)
  else making = { task: message.make, collected: new PieceCollector(message.make.snapshot, message.lists) }
})
