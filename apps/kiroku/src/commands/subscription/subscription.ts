import type { Client, StartPosition } from '@kiroku/client'
import { type SubscriptionDescription, writeSetting } from '@kiroku/protocol'
import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { holdText } from '../../cli/holdText.ts'
import { stateTitles, subscriptionStates } from '../../cli/stateTitles.ts'
import { queueFlags, requireSetting } from '../../config/queueFlags.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'
import { startOf } from './startPosition.ts'
import { subscriptionSettingsOf } from './subscriptionFlags.ts'

interface Named {
  readonly queue: string
  readonly subscription: string
}

const command = (
  act: (client: Client, named: Named, invocation: Invocation) => Promise<void>,
): CommandModule => ({
  run: (invocation) => {
    const { argument } = invocation
    const named = { queue: argument('queue') ?? '', subscription: argument('subscription') ?? '' }
    return withClient(invocation, (client) => act(client, named, invocation))
  },
})

/** `subscription create`. */
export const create = command(async (client, named, invocation) => {
  const { queue, subscription } = named
  const { created } = await client.queues.subscriptions.create(
    queue,
    subscription,
    { ...subscriptionSettingsOf(invocation), start: startIn(invocation) },
    localActor(),
  )
  invocation.out.line(
    `subscription ${subscription} of ${queue} ${created ? 'created' : 'exists already, with these settings'}`,
  )
  invocation.out.result({ ...named, created })
})

/** `subscription update`. */
export const update = command(async (client, named, invocation) => {
  const { queue, subscription } = named
  const settings = requireSetting(subscriptionSettingsOf(invocation), 'kiroku subscription update')
  await client.queues.subscriptions.update(queue, subscription, settings, localActor())
  invocation.out.line(`subscription ${subscription} of ${queue} updated`)
  invocation.out.result({ ...named, updated: true })
})

/** `subscription list`. */
export const list = command(async (client, { queue }, { out }) => {
  const { subscriptions } = await client.queues.describe(queue)
  out.line(subscriptionTable(subscriptions))
  out.result({ queue, subscriptions })
})

/** Subscriptions as text: their counts and their own settings. */
export const subscriptionTable = (subscriptions: readonly SubscriptionDescription[]): string =>
  columns([
    ['subscription', ...subscriptionStates.map((state) => stateTitles[state]), 'own settings'],
    ...subscriptions.map(({ counts, ...sub }) => [
      sub.name + marks(sub),
      ...subscriptionStates.map((state) => String(counts[state])),
      ownSettings(sub),
    ]),
  ])

const marks = ({ deliveryPaused, filling, hold }: Omit<SubscriptionDescription, 'counts'>): string =>
  (deliveryPaused ? ' (paused)' : '') +
  (filling ? ' (filling)' : '') +
  (hold === undefined ? '' : ` (${holdText(hold)})`)

const ownSettings = ({ settings }: Pick<SubscriptionDescription, 'settings'>): string => {
  const own = settings as Readonly<Record<string, unknown>>
  const flags = queueFlags.flatMap(({ key, flag, row }) =>
    own[key] === undefined ? [] : [`--${flag} ${writeSetting(row, own[key] as never)}`],
  )
  if (settings.tags !== undefined && settings.tags !== null) flags.push(`--tags ${settings.tags.join(',')}`)
  return flags.join(' ')
}

const startIn = ({ text }: Invocation): StartPosition => startOf(text('start') ?? 'latest', Date.now())

/** `subscription reset`. */
export const reset = command(async (client, named, invocation) => {
  const { queue, subscription } = named
  await client.queues.subscriptions.reset(queue, subscription, startIn(invocation), localActor())
  invocation.out.line(`subscription ${subscription} of ${queue} reset`)
  invocation.out.result({ ...named, done: 'reset' })
})

type Act = 'delete' | 'pause' | 'resume'

/** `subscription delete`, `pause` and `resume`. */
export const subscriptionAct = (act: Act): CommandModule =>
  command(async (client, named, { out }) => {
    const { queue, subscription } = named
    const done = { delete: 'deleted', pause: 'paused', resume: 'resumed' }[act]
    await client.queues.subscriptions[act](queue, subscription, localActor())
    out.line(`subscription ${subscription} of ${queue} ${done}`)
    out.result({ ...named, done })
  })
