import { canonical, type QueueConfig } from '@kiroku/protocol'
import type { QueueSection, SubscriptionSettings } from './QueueSettings.ts'

/** A setting that a section of a file changes; a dead-letter queue by its name. */
export interface SettingChange {
  readonly setting: keyof QueueConfig | 'tags'
  readonly from: unknown
  readonly to: unknown
}

/** The effect of a section of a file on a subscription of its queue. */
export interface SubscriptionChange {
  readonly subscription: string
  readonly outcome: 'created' | 'updated' | 'unchanged'
  readonly changes: readonly SettingChange[]
}

/** The effect of a section of a file on a queue. */
export interface QueueChange {
  readonly queue: string
  /**
   * `created`, `updated`, or `unchanged` if nothing differs. `kept` if this section was applied before and
   * the queue was changed since: the later change stays, and `changes` are what the section would do.
   */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'kept'
  readonly changes: readonly SettingChange[]
  readonly subscriptions: readonly SubscriptionChange[]
}

/** The settings of `section` that differ now. */
export const differences = (
  now: QueueConfig & Pick<SubscriptionSettings, 'tags'>,
  section: QueueSection,
): SettingChange[] => {
  const changes: SettingChange[] = []
  for (const [key, value] of Object.entries(section)) {
    if (key === 'subscriptions' || value === undefined) continue
    const setting = key as SettingChange['setting']
    const to = named(value)
    const from = named(now[setting])
    if (textOf(to) !== textOf(from)) changes.push({ setting, from, to })
  }
  return changes
}

const named = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'name' in value ? value.name : value

const textOf = (value: unknown): string => JSON.stringify(canonical(value))

/** Equal for equal sections, 16 hex digits. */
export const digestOf = async (section: QueueSection): Promise<string> => {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(textOf(section)))
  return [...new Uint8Array(hash, 0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
