import { limits } from '@kiroku/protocol'
import type { ApiDependencies } from '../ApiDependencies.ts'

/** In JSON a byte takes at most this many characters. */
const charactersPerByte = 6

/** How long a queue's limit is remembered, in ms. */
const keptMs = 5_000

/** Queues whose limit is remembered. */
const queuesMax = 1_000

/** What a message carries besides its body may take this many characters; one that is no longer needs no look at its queue. */
export const anyRoomCharacters = charactersPerByte * limits.envelopeMetaBytesMax

/** Tells how many characters a message may take in a request to a queue, by the limit that the queue sets. */
export type BodyRoom = (queue: string) => Promise<number>

/** Asks the queue's owner, at most every 5 s. Errors: `UnknownQueue`, and those of the client. */
export const bodyRoom = (dependencies: Pick<ApiDependencies, 'client'>): BodyRoom => {
  const known = new Map<string, { readonly bytesMax: number; readonly untilMs: number }>()
  return async (queue) => {
    const nowMs = performance.now()
    let limit = known.get(queue)
    if (limit === undefined || limit.untilMs <= nowMs) {
      const { config } = await dependencies.client.queues.describe(queue)
      limit = { bytesMax: config.bodyBytesMax, untilMs: nowMs + keptMs }
      known.delete(queue)
      if (known.size >= queuesMax) known.delete(known.keys().next().value!)
      known.set(queue, limit)
    }
    return charactersPerByte * limit.bytesMax + anyRoomCharacters
  }
}
