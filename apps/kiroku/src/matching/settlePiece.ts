import type { FoundMessage, MatchingAct, SettledPiece } from '@kiroku/audit'
import type { Client } from '@kiroku/client'
import { type Actor, isKirokuError, pushRange, type Ranges, type StateName } from '@kiroku/protocol'

/** A message in the index, under one subscription. */
export type Match = Pick<
  FoundMessage,
  'messageId' | 'partition' | 'queue' | 'subscription' | 'number' | 'state'
>

/** States in which it can be done. */
const possible: Readonly<Record<MatchingAct, readonly StateName[]>> = {
  recall: ['Delayed'],
  discard: ['Delayed', 'Available', 'WaitingRetry'],
}

/** Errors that say that a message changed since the index saw it. */
const movedOn: readonly string[] = ['NotDelayed', 'UnknownMessage', 'UnknownQueue', 'UnknownSubscription']

/**
 * Recalls or discards the messages of a batch that have not changed since the index saw them: delayed ones
 * one by one, others by their numbers; the actor is on record with each. Errors: those of the commands,
 * except for messages that changed; what was done until then stays done.
 */
export const settlePiece = async (
  client: Pick<Client, 'recall' | 'queues'>,
  act: MatchingAct,
  matches: readonly Match[],
  { by, isDryRun }: { readonly by: Actor; readonly isDryRun: boolean },
): Promise<SettledPiece> => {
  const stayed: Record<string, number> = {}
  const stay = (reason: string, n: number): void => {
    if (n > 0) stayed[reason] = (stayed[reason] ?? 0) + n
  }
  const able: Match[] = []
  const delayed = new Set<string>()
  let matched = 0
  for (const match of matches) {
    const { messageId, state } = match
    // A delayed message is delayed for all subscriptions, and found under each.
    if (state === 'Delayed' && delayed.size === delayed.add(messageId).size) continue
    matched++
    if (possible[act].includes(state)) able.push(match)
    else stay(state, 1)
  }
  if (isDryRun) return { matched, done: able.length, stayed }
  const tries = [
    ...[...delayed].map((id) => ({ asked: 1, run: () => client.recall(id, by).then(() => 1) })),
    ...[
      ...Map.groupBy(
        able.filter(({ state }) => state !== 'Delayed'),
        placeOf,
      ).values(),
    ].map((same) => ({
      asked: same.length,
      run: async () => {
        const { queue, partition, subscription, state } = same[0]!
        const which = { partition, subscription, state: state as 'Available', numbers: rangesOf(same) }
        return (await client.queues.discard(queue, which, by)).discarded
      },
    })),
  ]
  const results = await Promise.allSettled(tries.map(({ run }) => run()))
  let done = 0
  for (const [i, result] of results.entries()) {
    const { asked } = tries[i]!
    if (result.status === 'rejected') {
      if (!isKirokuError(result.reason) || !movedOn.includes(result.reason.id)) throw result.reason
      stay('changed', asked)
      continue
    }
    done += result.value
    stay('changed', asked - result.value)
  }
  return { matched, done, stayed }
}

const placeOf = ({ partition, queue, subscription, state }: Match): string =>
  [partition, queue, subscription, state].join('\n')

const rangesOf = (matches: readonly Match[]): Ranges => {
  const numbers: Ranges = []
  for (const { number } of matches.toSorted((a, b) => a.number - b.number)) pushRange(numbers, number, 1)
  return numbers
}
