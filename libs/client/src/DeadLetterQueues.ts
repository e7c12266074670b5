import {
  type Actor,
  type AppliedSection,
  type DeadLetterTarget,
  isKirokuError,
  KirokuError,
  partitionOf,
  type QueueDescription,
} from '@kiroku/protocol'
import type { PartitionClient } from './PartitionClient.ts'
import type { QueueSection, QueueSettings } from './QueueSettings.ts'

/** A change of a queue or a subscription. */
export interface ChangeOptions {
  readonly by: Actor
  readonly dryRun?: boolean
  readonly applied?: AppliedSection
  /** Of a creation: see `PauseOptions`. */
  readonly pauseMs?: number | undefined
  /** The other queues' settings in the same change. */
  readonly among?: ReadonlyMap<string, QueueSection>
}

/** What dead-letter queues need of the administration of queues. */
interface DeadLetterContext {
  readonly partitions: () => Promise<readonly PartitionClient[]>
  /** A change was made, or refused. */
  readonly changed: () => void
  readonly describe: (queue: string) => Promise<QueueDescription>
  readonly create: (queue: string, by: Actor) => Promise<unknown>
}

/** Finds dead-letter queues by name, and creates missing ones. */
export class DeadLetterQueues {
  readonly #context: DeadLetterContext

  constructor(context: DeadLetterContext) {
    this.#context = context
  }

  /**
   * Makes a change to queue `name`, or to a subscription of it, that names a dead-letter queue. `send` gets its address.
   * Errors: `InvalidConfig` for a circle, and those of `send`; then nothing was created.
   */
  async target<A>(
    name: string,
    deadLetter: string | DeadLetterTarget | null | undefined,
    { by, dryRun = false, among }: ChangeOptions,
    send: (target: DeadLetterTarget | null | undefined, dryRun: boolean) => Promise<A>,
  ): Promise<A> {
    const ask: typeof send = (target, isDry) => send(target, isDry).finally(this.#context.changed)
    if (typeof deadLetter !== 'string') {
      if (typeof deadLetter?.name === 'string') await this.#refuseCircle(name, deadLetter.name, among)
      return ask(deadLetter, dryRun)
    }
    await this.#refuseCircle(name, deadLetter, among)
    let target = await this.#addressOf(deadLetter)
    if (target === undefined) {
      // Nothing must be created for a change that is refused: it is tried first, with an address that no
      // queue has.
      const partition = partitionOf(deadLetter, (await this.#context.partitions()).length)
      const tried = await ask({ name: deadLetter, partition, queue: Number.MAX_SAFE_INTEGER }, true)
      if (dryRun) return tried
      await this.#context.create(deadLetter, by)
      target = await this.#addressOf(deadLetter)
    }
    return ask(target, dryRun)
  }

  /**
   * Follows the dead-letter queues from `first` on, of queues and of their subscriptions. Two changes at once may
   * still make a circle, since no partition sees another's queues. Errors: `InvalidConfig` if they come back
   * to `name`.
   */
  async #refuseCircle(name: string, first: string, among: ChangeOptions['among']): Promise<void> {
    const seen = new Set<string>()
    const paths = [[name, first]]
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const last = path.at(-1)!
      if (last === name)
        throw new KirokuError('InvalidConfig', `dead letters would go in a circle: ${path.join(' → ')}`)
      if (seen.has(last)) continue
      seen.add(last)
      for (const next of deadLettersOf(await this.find(last), among?.get(last))) paths.push([...path, next])
    }
  }

  async #addressOf(name: string): Promise<DeadLetterTarget | undefined> {
    const found = await this.find(name)
    return found === undefined ? undefined : { name, partition: found.partition, queue: found.queue }
  }

  /** The queue, if it exists. */
  async find(name: string): Promise<QueueDescription | undefined> {
    try {
      return await this.#context.describe(name)
    } catch (error) {
      if (isKirokuError(error) && error.id === 'UnknownQueue') return undefined
      throw error
    }
  }
}

/** Names of the dead-letter queues of a queue and its subscriptions, once the section is applied. */
const deadLettersOf = (live: QueueDescription | undefined, section: QueueSection | undefined): string[] => {
  const own = new Map<string, QueueSettings['deadLetter']>()
  for (const { name, settings } of live?.subscriptions ?? []) own.set(name, settings.deadLetter)
  for (const [name, { deadLetter }] of Object.entries(section?.subscriptions ?? {}))
    if (deadLetter !== undefined) own.set(name, deadLetter)
  const queues = section?.deadLetter === undefined ? live?.config.deadLetter : section.deadLetter
  return [queues, ...own.values()].flatMap((target) => {
    const name = typeof target === 'string' ? target : target?.name
    return name === undefined ? [] : [name]
  })
}
