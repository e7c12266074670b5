import { type CommandOf, KirokuError, limits, type LogEventOf, recordable } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'

type Change = Pick<CommandOf<'ConfigureQueue'>, 'notes' | 'by'>

/**
 * The fact of what a command changes in the notes of a queue, each name once; undefined: nothing.
 * @param queue may be one that is only about to be created
 * @throws `InvalidArgument` beyond the limits, `NotFinalized` where not every node reads notes yet
 */
export const notedEvent = (
  { clusterVersion }: PartitionState,
  { id, notes: before = new Map() }: Pick<QueueState, 'id'> & Partial<Pick<QueueState, 'notes'>>,
  { notes: named = [], by }: Change,
): LogEventOf<'QueueNoted'> | undefined => {
  const after = new Map(before)
  for (const [name, text] of named) {
    checkNote(name, text ?? '')
    if (text === null) after.delete(name)
    else after.set(name, text)
  }
  const changed = [...new Set(named.map(([name]) => name))].filter(
    (name) => after.get(name) !== before.get(name),
  )
  if (changed.length === 0) return undefined
  checkSize(after)
  const notes = changed.map((name) => [name, after.get(name) ?? null] as const)
  const event = { type: 'QueueNoted', queue: id, notes, by } as const
  // Before anything else of the command is on record.
  recordable(event, clusterVersion)
  return event
}

const checkNote = (name: string, text: string): void => {
  const isName = name.length > 0 && name.length <= limits.noteNameCharactersMax
  // Objects lose the one name, and records the half of a pair that stands alone.
  if (!isName || name === '__proto__' || !name.isWellFormed())
    throw new KirokuError(
      'InvalidArgument',
      `the name of a note has 1 to ${limits.noteNameCharactersMax} characters, not ${JSON.stringify(name.slice(0, 50))}`,
    )
  if (!text.isWellFormed())
    throw new KirokuError('InvalidArgument', `note "${name}" holds half of a pair of surrogates`)
}

const checkSize = (notes: ReadonlyMap<string, string>): void => {
  if (notes.size > limits.notesPerQueueMax)
    throw new KirokuError('InvalidArgument', `a queue has up to ${limits.notesPerQueueMax} notes`)
  let characters = 0
  for (const [name, text] of notes) characters += name.length + text.length
  if (characters > limits.notesCharactersMax)
    throw new KirokuError(
      'InvalidArgument',
      `the notes of a queue have up to ${limits.notesCharactersMax.toLocaleString('en')} characters together, not ${characters.toLocaleString('en')}`,
    )
}

/** Whether a queue has the notes that a command names, as it names them. */
export const hasNotes = ({ notes }: QueueState, named: Change['notes'] = []): boolean =>
  named.every(([name, text]) => (notes.get(name) ?? null) === text)

/** Says that notes were not passed over. */
export const notedOf = ({ notes }: Change): { readonly noted?: true } =>
  notes === undefined ? {} : { noted: true }
