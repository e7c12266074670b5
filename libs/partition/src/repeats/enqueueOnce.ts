import {
  type Answers,
  type CommandOf,
  dedupKeyBytes,
  KirokuError,
  limits,
  pushNumber,
  type Ranges,
} from '@kiroku/protocol'
import { type Digest, type Turn } from '../Turn.ts'
import { storeSend, useDefault, type EnqueueOf, type SizedRef } from '../send/storeSend.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import { keysOf } from './sendIds.ts'

/** Stores what was not sent within the queue's window, and answers the rest with the messages that it repeats. Errors: `Busy`. */
export const enqueueOnce = <B extends Uint8Array | SizedRef>(
  turn: Turn<B>,
  queue: QueueState,
  command: EnqueueOf<B>,
): Answers['Enqueue'] | KirokuError => {
  const { state, now } = turn
  const { messages } = command
  const keys = keysOf(turn.digest, queue, command, messages)
  const first = queue.nextNumber
  const numbers: Ranges = []
  const fresh: number[] = []
  const originals: number[] = []
  const repeats: number[] = []
  /** Messages of this send by their keys. */
  const own = new Map<string, number>()
  for (let i = 0; i < messages.length; i++) {
    const key = keyAt(keys, i)
    const original = state.dedup.find(queue, keys, i, now) || own.get(key)
    if (original === undefined) {
      own.set(key, first + fresh.length)
      pushNumber(numbers, first + fresh.length)
      fresh.push(i)
    } else {
      pushNumber(numbers, original)
      originals.push(original)
      repeats.push(i)
    }
  }
  if (state.dedup.size + fresh.length > limits.dedupKeysMax) return tooManyKeys(turn)
  const { producer, send } = command
  const { length: count } = messages
  if (repeats.length === 0) {
    storeSend(turn, queue, command, keys)
    return { queue: queue.id, first, count }
  }
  if (fresh.length > 0) storeSend(turn, queue, only(command, fresh), keysAt(keys, fresh))
  turn.emit({
    type: 'Deduplicated',
    queue: queue.id,
    producer,
    send,
    answer: numbers,
    originals,
    keys: keysAt(keys, repeats),
  })
  return { queue: queue.id, first: numbers[0]!, count, numbers }
}

/** Place of each message of a send among those that would be stored now; -1: it was sent before. */
export const storedPlaces = (
  state: PartitionState,
  queue: QueueState,
  command: CommandOf<'Enqueue' | 'Forward'>,
  digest: Digest,
  now: number,
): number[] => {
  if (command.type === 'Forward') {
    const { from, target, forward, messages } = command
    const next = Math.max(state.nextForward(from, target) ?? 1, forward)
    return messages.map((_, i) => Math.max(-1, forward + i - next))
  }
  if (queue.config.dedup === 'off') return command.messages.map((_, i) => i)
  const keys = keysOf(digest, queue, command, command.messages)
  const own = new Set<string>()
  return command.messages.map((_, i) => {
    const key = keyAt(keys, i)
    if (state.dedup.find(queue, keys, i, now) !== 0 || own.has(key)) return -1
    own.add(key)
    return own.size - 1
  })
}

const keyAt = (keys: Uint8Array, i: number): string =>
  String.fromCharCode(...keys.subarray(i * dedupKeyBytes, (i + 1) * dedupKeyBytes))

const keysAt = (keys: Uint8Array, places: readonly number[]): Uint8Array => {
  const chosen = new Uint8Array(places.length * dedupKeyBytes)
  for (const [n, i] of places.entries())
    chosen.set(keys.subarray(i * dedupKeyBytes, (i + 1) * dedupKeyBytes), n * dedupKeyBytes)
  return chosen
}

/** A send of some of its messages alone. */
const only = <B>(command: EnqueueOf<B>, places: readonly number[]): EnqueueOf<B> => {
  const { messages, delaysMs, tags, groups } = command
  return {
    ...command,
    messages: places.map((i) => messages[i]!),
    ...(delaysMs === undefined ? {} : { delaysMs: places.map((i) => delaysMs[i] ?? useDefault) }),
    ...(tags === undefined ? {} : { tags: places.map((i) => tags[i]!) }),
    ...(groups === undefined ? {} : { groups: places.map((i) => groups[i]!) }),
  }
}

/** A client's sends to the whole partition wait for the pause, so it is a short one. */
const keysPauseMsMax = 1_000

const tooManyKeys = <B>({ state, now }: Turn<B>): KirokuError => {
  const leftMs = state.dedup.nextExpiryAt - now
  return new KirokuError('Busy', `this partition remembers its ${limits.dedupKeysMax} dedup keys already`, {
    retryAfterMs: Math.max(1, Math.min(leftMs, keysPauseMsMax)),
  })
}
