import type { SubscriptionSettings } from '@kiroku/client'
import { isOwnSetting } from '@kiroku/protocol'
import type { FlagSpec, Invocation } from '../../cli/CommandSpec.ts'
import { flagSpecOf, queueConfigOf, queueFlags } from '../../config/queueFlags.ts'

const ownFlags = queueFlags.filter(({ key }) => isOwnSetting(key))

/** The flags of `subscription create` and `subscription update`. */
export const subscriptionFlagSpecs: readonly FlagSpec[] = [
  ...ownFlags.map((flag) => flagSpecOf(flag, "default the queue's")),
  {
    name: 'tags',
    kind: 'text',
    metavar: 'T1,T2,…',
    description: 'Deliver only messages with one of these tags; all: every message. [default all]',
  },
]

/** Reads the subscription flags that were given. Errors: `InvalidArgument`. */
export const subscriptionSettingsOf = (invocation: Pick<Invocation, 'text'>): SubscriptionSettings => {
  const settings = queueConfigOf(invocation, ownFlags) as SubscriptionSettings
  const tags = invocation.text('tags')
  return tags === undefined ? settings : { ...settings, tags: tags === 'all' ? null : tags.split(',') }
}
