import {
  parseSetting,
  type QueueConfig,
  type QueueSetting,
  queueSettings,
  writeSetting,
} from '@kiroku/protocol'

/** Settings as a form has them, by their keys. */
export type SettingDraft = Readonly<Record<string, string>>

/** The result of a form: the settings that differ from before, and what is wrong with the others. */
export interface DraftChanges {
  readonly changes: Readonly<Record<string, unknown>>
  readonly errors: Readonly<Record<string, string>>
}

const rowOf = (key: string): QueueSetting => queueSettings[key as keyof QueueConfig]

/** Settings as a form shows them, in the words of the command line; none is empty. */
export const draftOf = (config: Partial<QueueConfig>): SettingDraft =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      value === null ? '' : writeSetting(rowOf(key), value),
    ]),
  )

/** What a form changes compared with `before`. */
export const changesOf = (draft: SettingDraft, before: Partial<QueueConfig>): DraftChanges => {
  const was = draftOf(before)
  const changes: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const [key, text] of Object.entries(draft)) {
    if (text === was[key]) continue
    try {
      changes[key] = valueOf(rowOf(key), text)
    } catch (error) {
      errors[key] = (error as Error).message
    }
  }
  return { changes, errors }
}

/** A queue is chosen from a list that may contain any name. */
const valueOf = (row: QueueSetting, text: string): unknown =>
  row.kind === 'queue' ? (text === '' ? null : text) : parseSetting(row, text, row.title)
