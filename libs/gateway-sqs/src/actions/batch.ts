import { asSqsError, SqsError } from '../SqsError.ts'
import type { Input } from './Action.ts'

const entriesMax = 10

/** The entries of a batch, each with an id of its own. Errors: those of batches. */
export const entriesOf = <E extends { readonly Id?: string }>(input: Input, entry: string): readonly E[] => {
  const entries = (input['Entries'] ?? []) as readonly E[]
  if (entries.length === 0)
    throw new SqsError('EmptyBatchRequest', `There should be at least one ${entry} in the request.`)
  if (entries.length > entriesMax)
    throw new SqsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${entriesMax}. You have sent ${entries.length}.`,
    )
  const ids = new Set<string>()
  for (const { Id = '' } of entries) {
    if (!/^[A-Za-z0-9_-]{1,80}$/.test(Id))
      throw new SqsError(
        'InvalidBatchEntryId',
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
      )
    if (ids.has(Id)) throw new SqsError('BatchEntryIdsNotDistinct', `Id ${Id} repeated.`)
    ids.add(Id)
  }
  return entries
}

/** What became of one entry. */
export type Outcome = { readonly ok: object } | { readonly error: SqsError }

/** Why an entry is refused; a defect is thrown. */
export const refusalOf = (error: unknown): SqsError => {
  const known = asSqsError(error)
  if (known === undefined) throw error
  return known
}

/** The outcome of what may be refused; a defect is thrown. */
export const outcomeOf = async (run: () => Promise<object> | object): Promise<Outcome> => {
  try {
    return { ok: await run() }
  } catch (error) {
    return { error: refusalOf(error) }
  }
}

/** The answer to a batch: what was done and what was refused, by the ids of the entries. */
export const answerOf = (
  entries: readonly { readonly Id?: string }[],
  outcomes: readonly Outcome[],
): { readonly Successful: readonly object[]; readonly Failed: readonly object[] } => {
  const Successful: object[] = []
  const Failed: object[] = []
  for (const [i, outcome] of outcomes.entries()) {
    const { Id } = entries[i]!
    if ('ok' in outcome) Successful.push({ Id, ...outcome.ok })
    else {
      const { code, message, isSenders } = outcome.error
      Failed.push({ Id, SenderFault: isSenders, Code: code, Message: message })
    }
  }
  return { Successful, Failed }
}
