import type { Act } from '@kiroku/audit'
import { count } from '../../parts/format.ts'
import { settingName, settingText } from '../../parts/settingText.ts'

/** One thing that an act changed. */
export interface ActChange {
  readonly key: string
  readonly name: string
  /** Empty if there was nothing, or is nothing any more. */
  readonly before: string
  readonly after: string
}

const valueNames: Readonly<Record<string, string>> = {
  messages: 'messages',
  below: 'numbers below',
  paused: 'delivery paused',
  from: 'begins at number',
  dueAt: 'due at',
  parts: 'partitions',
  task: 'redrive',
  to: 'to',
  filter: 'filter',
  upTo: 'up to number',
  selected: 'selected messages',
  left: 'messages left',
  messagesMax: 'most messages',
}

/** What an act changed, setting by setting, in the order in which the record has it. */
export const changesOf = ({ before, after, event }: Pick<Act, 'before' | 'after' | 'event'>): ActChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((key) => ({
      key,
      name: valueNames[key] ?? settingName(key),
      before: valueText(key, before[key]),
      after: valueText(key, after[key]),
    }))
    .filter(({ before: was, after: is }) => was !== is && !(event === 'RedriveStarted' && isNoLimit(is)))

const isNoLimit = (text: string): boolean => text === 'no limit' || text === 'everything'

const valueText = (key: string, value: unknown): string => {
  if (value === undefined) return ''
  if (key === 'to')
    return value === 'origin' ? 'where they came from' : ((value as { name?: string } | null)?.name ?? '')
  if (key === 'filter')
    return value === null || Object.keys(value).length === 0 ? 'everything' : JSON.stringify(value)
  if (key === 'messagesMax' && value === 0) return 'no limit'
  if (key === 'number' || key === 'task') return String(value as number)
  if (key === 'parts' && Array.isArray(value) && value.length === 0) return 'home only'
  return settingText(key, value)
}

/** Acts that end messages; other effects are shown only in full. */
const goneWith: ReadonlySet<string> = new Set(['QueuePurged', 'QueueDeleted', 'SubscriptionDeleted'])

/** The changes of an act in one line: `lease 30 s → 1 min, retries 3 → 5`. */
export const changeLine = (act: Pick<Act, 'before' | 'after' | 'event'>): string => {
  const { messages } = act.before
  if (typeof messages === 'number' && goneWith.has(act.event))
    return `${count(messages)} ${messages === 1 ? 'message' : 'messages'} discarded`
  return changesOf(act)
    .map(({ name, before, after }) =>
      before === ''
        ? `${name} ${after}`
        : after === ''
          ? `${name} was ${before}`
          : `${name} ${before} → ${after}`,
    )
    .join(', ')
}

/** Where an act is on record: partition, sequence, and place in the frame. */
export const actKey = ({ partition, seq, index }: Pick<Act, 'partition' | 'seq' | 'index'>): string =>
  `${partition}/${seq}/${index}`

/** The moments just before and just after an act, as `at` takes them. */
export const momentsAround = ({
  partition,
  seq,
}: Pick<Act, 'partition' | 'seq'>): { readonly before: string; readonly after: string } => ({
  before: `${partition}/${Math.max(1, seq - 1)}`,
  after: `${partition}/${seq}`,
})
