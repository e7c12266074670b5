import { KirokuError } from '../error/KirokuError.ts'
import { limits } from '../limits.ts'
import { isTag, tagRule } from '../names.ts'
import type { QueueConfig } from './QueueConfig.ts'
import { isOwnSetting, type SubscriptionSettings } from './SubscriptionSettings.ts'
import { checkConfig } from './checkConfig.ts'

/**
 * Lays `changes` over what a subscription sets for itself and checks the whole against its queue's settings. A
 * setting that is `undefined` stays as it is. Errors: `InvalidConfig`, naming the setting.
 */
export const checkSubscription = (
  queue: QueueConfig,
  before: SubscriptionSettings,
  changes: SubscriptionSettings,
): SubscriptionSettings => {
  const settings: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue
    if (name !== 'tags' && !isOwnSetting(name))
      throw new KirokuError('InvalidConfig', `a subscription has no setting "${name}" of its own`)
    settings[name] = value
  }
  const { tags, ...own } = settings as SubscriptionSettings
  checkTags(tags)
  checkConfig(queue, own)
  return settings
}

const checkTags = (tags: unknown): void => {
  if (tags === undefined || tags === null) return
  const isList = Array.isArray(tags) && tags.length >= 1 && tags.length <= limits.tagsPerFilterMax
  if (!isList || !tags.every((t) => isTag(t) && t !== ''))
    throw new KirokuError(
      'InvalidConfig',
      `tags must be 1 to ${limits.tagsPerFilterMax} tags, or null; ${tagRule}`,
    )
}
