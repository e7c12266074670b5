import {
  type Actor,
  checkConfig,
  checkQueueName,
  checkSubscription,
  defaultQueueConfig,
  isKirokuError,
  KirokuError,
  type QueueDescription,
} from '@kiroku/protocol'
import type { ChangeOptions } from './DeadLetterQueues.ts'
import { differences, digestOf, type QueueChange, type SubscriptionChange } from './QueueChange.ts'
import type { ApplyOptions, QueueSection, QueueSettings, SubscriptionSettings } from './QueueSettings.ts'

/** What applying needs from the administration of queues and subscriptions. */
export interface SectionContext {
  readonly find: (queue: string) => Promise<QueueDescription | undefined>
  readonly change: (
    type: 'CreateQueue' | 'ConfigureQueue',
    queue: string,
    settings: QueueSettings,
    how: ChangeOptions,
  ) => Promise<unknown>
  /** Errors: `InvalidConfig` if dead letters would go in a circle. */
  readonly tryDeadLetter: (
    queue: string,
    deadLetter: QueueSettings['deadLetter'],
    how: ChangeOptions,
  ) => Promise<unknown>
  readonly changeSubscription: (
    type: 'CreateSubscription' | 'ConfigureSubscription',
    queue: string,
    subscription: string,
    settings: SubscriptionSettings,
    how: ChangeOptions,
  ) => Promise<unknown>
}

/** Applies the sections of a file, after all of them were tried. Errors: those of the changes, with the queue's name. */
export const applySections = async (
  context: SectionContext,
  sections: Readonly<Record<string, QueueSection>>,
  { source, dryRun = false, newQueue = {}, by }: ApplyOptions & { readonly by: Actor },
): Promise<QueueChange[]> => {
  // Programs in JavaScript may leave it out.
  if ((source as string | undefined) === undefined)
    throw new KirokuError('InvalidArgument', 'apply needs a source: the name of the file or the Worker')
  const among = new Map(Object.entries(sections))
  const changes = new Map<string, QueueChange>()
  const wanted = new Map<string, ChangeOptions>()
  for (const [queue, said] of among) {
    const how: ChangeOptions = { by, among, applied: { source, digest: await digestOf(said) } }
    const found = await context.find(queue)
    const section = found === undefined ? { ...newQueue, ...said } : said
    if (found === undefined) among.set(queue, section)
    const isOld = found?.applied[source] === how.applied?.digest
    if (!isOld) await naming(queue, () => tryOut(context, queue, section, found, how))
    const change = changeOf(queue, section, found)
    changes.set(queue, isOld && change.outcome !== 'unchanged' ? { ...change, outcome: 'kept' } : change)
    const saysNothing = found !== undefined && Object.keys(section).length === 0
    if (!isOld && !saysNothing) wanted.set(queue, how)
  }
  if (!dryRun)
    for (const queue of deadLettersFirst(among)) {
      const how = wanted.get(queue)
      if (how !== undefined) await naming(queue, () => apply(context, queue, among.get(queue)!, how))
    }
  return [...changes.values()]
}

/** A dead-letter queue with its own section is created by that, not by the queue that names it. */
const deadLettersFirst = (among: ReadonlyMap<string, QueueSection>): string[] => {
  const order: string[] = []
  const seen = new Set<string>()
  const visit = (queue: string): void => {
    const section = among.get(queue)
    if (section === undefined || seen.has(queue)) return
    seen.add(queue)
    for (const { deadLetter } of [section, ...Object.values(section.subscriptions ?? {})])
      if (typeof deadLetter === 'string') visit(deadLetter)
    order.push(queue)
  }
  for (const queue of among.keys()) visit(queue)
  return order
}

const changeOf = (queue: string, section: QueueSection, found: QueueDescription | undefined): QueueChange => {
  const config = found?.config ?? defaultQueueConfig
  const changes = differences(config, section)
  const subscriptions = Object.entries(section.subscriptions ?? {}).map(([name, own]): SubscriptionChange => {
    const live = found?.subscriptions.find((sub) => sub.name === name)
    const now = { ...(live?.config ?? config), tags: live?.settings.tags ?? null }
    const differing = differences(now, own)
    const outcome = differing.length === 0 ? 'unchanged' : 'updated'
    return { subscription: name, outcome: live === undefined ? 'created' : outcome, changes: differing }
  })
  const same = changes.length === 0 && subscriptions.every(({ outcome }) => outcome === 'unchanged')
  return {
    queue,
    outcome: found === undefined ? 'created' : same ? 'unchanged' : 'updated',
    changes,
    subscriptions,
  }
}

/** Finds out whether a section can be applied, and changes nothing. */
const tryOut = async (
  context: SectionContext,
  queue: string,
  { subscriptions = {}, ...settings }: QueueSection,
  found: QueueDescription | undefined,
  how: ChangeOptions,
): Promise<void> => {
  const dry = { ...how, dryRun: true }
  await context.change(found === undefined ? 'CreateQueue' : 'ConfigureQueue', queue, settings, dry)
  const { deadLetter: _, ...others } = settings
  const config = checkConfig(found?.config ?? defaultQueueConfig, others)
  for (const [name, { deadLetter: target, ...own }] of Object.entries(subscriptions)) {
    checkQueueName(name)
    const live = found?.subscriptions.find((sub) => sub.name === name)
    checkSubscription(config, live?.settings ?? {}, own)
    await context.tryDeadLetter(queue, target, dry)
  }
}

const apply = async (
  context: SectionContext,
  queue: string,
  { subscriptions, ...settings }: QueueSection,
  how: ChangeOptions,
): Promise<void> => {
  // A section is remembered once all of it is applied: with subscriptions, only at the end.
  const { applied: _, ...first } = how
  await changeQueue(context, queue, settings, subscriptions === undefined ? how : first)
  if (subscriptions === undefined) return
  for (const [name, own] of Object.entries(subscriptions)) {
    const isThere = (await context.find(queue))?.subscriptions.some((sub) => sub.name === name) === true
    const type = isThere ? 'ConfigureSubscription' : 'CreateSubscription'
    await unlessExists('SubscriptionExists', context.changeSubscription(type, queue, name, own, first), () =>
      context.changeSubscription('ConfigureSubscription', queue, name, own, first),
    )
  }
  await context.change('ConfigureQueue', queue, {}, how)
}

const changeQueue = async (
  context: SectionContext,
  queue: string,
  settings: QueueSettings,
  how: ChangeOptions,
): Promise<void> => {
  const type = (await context.find(queue)) === undefined ? 'CreateQueue' : 'ConfigureQueue'
  await unlessExists('QueueExists', context.change(type, queue, settings, how), () =>
    context.change('ConfigureQueue', queue, settings, how),
  )
}

/** It may be created elsewhere meanwhile, with other settings. */
const unlessExists = async (
  id: 'QueueExists' | 'SubscriptionExists',
  creation: Promise<unknown>,
  change: () => Promise<unknown>,
): Promise<void> => {
  try {
    await creation
  } catch (error) {
    if (!isKirokuError(error) || error.id !== id) throw error
    await change()
  }
}

const naming = async (queue: string, act: () => Promise<void>): Promise<void> => {
  try {
    await act()
  } catch (error) {
    throw isKirokuError(error) && error.id === 'InvalidConfig'
      ? new KirokuError('InvalidConfig', `queue "${queue}": ${error.message}`)
      : error
  }
}
