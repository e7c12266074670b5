import { canonical, type QueueConfig } from '@kiroku/protocol'
import type { QueueSection, SubscriptionSettings } from './QueueSettings.ts'

/** One setting that a section of a file gives another value; a dead-letter queue by its name. */
export interface SettingChange {
  readonly setting: keyof QueueConfig | 'tags'
  readonly from: unknown
  readonly to: unknown
}

/** What a section of a file means for a subscription of its queue. */
export interface SubscriptionChange {
  readonly subscription: string
  readonly outcome: 'created' | 'updated' | 'unchanged'
  readonly changes: readonly SettingChange[]
}

/** What a section of a file means for a queue. */
export interface QueueChange {
  readonly queue: string
  /**
   * `created`, `updated`, or `unchanged` where everything is like that already. `kept` where this section was applied
   * before and the queue was changed since: the later change stays, and `changes` are what the section would do.
   */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'kept'
  readonly changes: readonly SettingChange[]
  readonly subscriptions: readonly SubscriptionChange[]
}

/** The settings of `section` that are otherwise now. */
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

/** The same for sections that say the same, 16 hex digits. */
export const digestOf = async (section: QueueSection): Promise<string> => {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(textOf(section)))
  return [...new Uint8Array(hash, 0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
