import { bodyBytes, type CommandOf, dedupKeyBytes } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import type { QueueState } from '../state/QueueState.ts'

/** The reference that the shell put in a large message's place, with the bytes of its body. */
export interface SizedRef {
  readonly bytes: number
  /** Of what it carries beside its body; there in sends. */
  readonly metaBytes?: number
  /** SHA-256 of its body; there in sends. */
  readonly digest?: () => Uint8Array
}

/** A send whose bodies the shell may have put elsewhere. */
export type EnqueueOf<B> = Omit<CommandOf<'Enqueue'>, 'messages'> & { readonly messages: readonly B[] }

/** Stores all messages of a send, under the keys that tell repeats of them. */
export const storeSend = <B extends Uint8Array | SizedRef>(
  turn: Turn<B>,
  queue: QueueState,
  command: EnqueueOf<B>,
  keys?: Uint8Array,
): void => {
  const { messages } = command
  const first = queue.nextNumber
  for (let start = 0; start < messages.length;) {
    const delayMs = delayOf(queue, command, start)
    const tag = command.tags?.[start] ?? ''
    const group = command.groups?.[start] ?? ''
    let bytes = 0
    let end = start
    do bytes += bytesOf(messages[end++]!)
    while (
      end < messages.length &&
      delayOf(queue, command, end) === delayMs &&
      (command.tags?.[end] ?? '') === tag &&
      (command.groups?.[end] ?? '') === group
    )
    turn.emit({
      type: 'Enqueued',
      queue: queue.id,
      first: first + start,
      count: end - start,
      dueAt: delayMs === 0 ? 0 : turn.now + delayMs,
      bytes,
      producer: command.producer,
      send: command.send,
      ...markedBy(queue, tag, group, delayMs === 0, keys?.slice(start * dedupKeyBytes, end * dedupKeyBytes)),
    })
    start = end
  }
  turn.addBodies(queue.id, messages)
}

/** Bytes of a message's body; negative when it is no envelope. */
export const bytesOf = (message: Uint8Array | SizedRef): number =>
  message instanceof Uint8Array ? bodyBytes(message) : message.bytes

interface Marks {
  tag?: string
  group?: string
  only?: number
  filteredBy?: number[]
  keys?: Uint8Array
}

/** What a fact about arrivals says beside their place; a delayed one meets the filters when its delay is over. */
export const markedBy = (
  queue: QueueState,
  tag: string,
  group: string,
  isAvailable: boolean,
  keys?: Uint8Array,
  only?: number,
): Marks | undefined => {
  const filteredBy = isAvailable ? queue.filteredBy(tag, only) : undefined
  if (filteredBy === undefined && tag === '' && group === '' && keys === undefined && only === undefined)
    return undefined
  const marks: Marks = {}
  if (tag !== '') marks.tag = tag
  if (group !== '') marks.group = group
  if (only !== undefined) marks.only = only
  if (filteredBy !== undefined) marks.filteredBy = filteredBy
  if (keys !== undefined) marks.keys = keys
  return marks
}

/** A delay that asks for the queue's own. */
export const useDefault = -1

/** Delay of one message of a send, in ms. */
export const delayOf = (
  queue: QueueState,
  command: Pick<CommandOf<'Enqueue'>, 'delayMs' | 'delaysMs'>,
  i: number,
): number => {
  const own = command.delaysMs?.[i] ?? command.delayMs ?? useDefault
  return own === useDefault ? queue.config.deliveryDelayMs : own
}
