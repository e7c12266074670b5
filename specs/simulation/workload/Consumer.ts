import { type CommandOf, type Delivery, isKirokuError, partitionOf, type SettleItem } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { ActorPlan } from '../plan/Plan.ts'
import type { World } from '../world/World.ts'
import { each } from '../world/ranges.ts'
import { Caller } from './Caller.ts'
import { secondSubscription } from './administer.ts'

/** What a consumer does with a delivery, and how often. */
const verdicts = {
  Ack: 60,
  Retry: 12,
  Release: 8,
  DeadLetter: 4,
  extendThenAck: 8,
  part: 8,
  forget: 12,
} as const

/** Receives by hand and settles, some of it late, twice, in parts, or not at all; its process may die, and another begins. */
export class Consumer {
  readonly #world: World
  readonly #queue: string
  readonly #partition: number
  readonly #name: string
  readonly #chance: Chance
  readonly #isLate: boolean
  readonly #isSlow: boolean
  readonly #subscription: { readonly subscription?: string }
  #caller: Caller
  #lives = 0

  constructor(world: World, { queue, isSecond, role }: ActorPlan, name: string) {
    this.#world = world
    this.#queue = queue
    this.#name = name
    this.#isLate = role === 'lateConsumer'
    this.#isSlow = !world.plan.queues.find((q) => q.name === queue)!.isForWork
    this.#subscription = isSecond ? { subscription: secondSubscription } : {}
    this.#partition = partitionOf(queue, world.plan.partitions)
    this.#chance = world.chance.stream(name)
    this.#caller = new Caller(world, name)
  }

  get party() {
    return this.#caller.party
  }

  /** Continues until the world ends; after a death a successor continues. */
  run(): Promise<void> {
    const { loop } = this.#world
    return new Promise((resolve, reject) => {
      const live = (): void => {
        const caller = this.#caller
        this.#lives++
        loop.as(caller.party, () => void this.#live(caller).then(resolve, reject))
        const watch = (): void => {
          if (!caller.party.isDead) return void (this.#world.isOver || loop.after(500, watch, null))
          if (this.#world.isOver) return resolve()
          this.#caller = new Caller(this.#world, `${this.#name}.${this.#lives}`)
          live()
        }
        loop.after(500, watch, null)
      }
      live()
    })
  }

  async #live(caller: Caller): Promise<void> {
    const { loop } = this.#world
    const chance = this.#chance
    for (let poll = 1; !this.#world.isOver; poll++) {
      // Dead letters wait for a while before an operator looks at them.
      if (this.#isSlow && !this.#world.isCalm) await loop.sleep(chance.pick([100, 1_000, 4_000]))
      const command: CommandOf<'Receive'> = {
        type: 'Receive',
        queue: this.#queue,
        ...this.#subscription,
        poll: `${caller.party.name} ${poll}`,
        max: chance.pick([1, 3, 10]),
        bytesMax: 200_000,
        waitMs: this.#world.isCalm ? 1_000 : chance.pick([0, 100, 2_000]),
        batchWaitMs: chance.pick([0, 0, 300]),
        mode: chance.pick(['simple', 'push'] as const),
        consumer: caller.party.name,
        ...(chance.happens(0.02) ? { leaseMs: 6 * 3_600_000 } : {}),
        ...(!this.#world.isCalm && chance.happens(0.02) ? { leaseMs: 0 } : {}),
      }
      if (!this.#world.isCalm && chance.happens(0.05)) this.#cancel(caller, command)
      const delivery = await this.#receive(caller, command)
      if (delivery === undefined) await loop.sleep(chance.pick([20, 700]))
      else await this.#handle(caller, delivery)
    }
  }

  /** One receive; some carry an attempt id, and are repeated with it where the answer did not come. */
  async #receive(caller: Caller, command: CommandOf<'Receive'>): Promise<Delivery | undefined> {
    const chance = this.#chance
    const { leaps } = this.#world
    const attempt = chance.happens(0.4) ? { attempt: command.poll } : {}
    for (let tries = 1; ; tries++)
      try {
        const again = tries === 1 ? {} : { poll: `${command.poll}.${tries}`, heldOnly: chance.happens(0.5) }
        const asked = { ...command, ...attempt, ...again }
        return (await caller.ask(this.#partition, asked, () => true)).delivery
      } catch (error) {
        if (!isKirokuError(error)) throw error
        const isPast = this.#world.leaps > leaps
        if (attempt.attempt === undefined || tries > 3 || !error.retryable || isPast) return undefined
        await this.#world.loop.sleep(chance.pick([5, 200]))
      }
  }

  /** Cancels a receive soon after, unless it dies meanwhile. */
  #cancel(caller: Caller, { poll }: CommandOf<'Receive'>): void {
    this.#world.loop
      .sleep(this.#chance.pick([0, 50]))
      .then(() => caller.ask(this.#partition, { type: 'CancelReceive', poll }, () => true))
      .catch(onlyDefects)
      .catch((error: Error) => this.#world.fail(error))
  }

  async #handle(caller: Caller, delivery: Delivery): Promise<void> {
    const { loop } = this.#world
    const chance = this.#chance
    const item: SettleItem = {
      queue: delivery.queue,
      sub: delivery.sub,
      delivery: delivery.delivery,
      numbers: delivery.numbers,
    }
    if (this.#world.isCalm) return this.#settle(caller, 'Ack', item)
    await loop.sleep(chance.pick(this.#isLate ? [800, 2_500, 5_000] : [0, 0, 10, 800]))
    const verdict = chance.weighted(verdicts)
    switch (verdict) {
      case 'forget':
        return
      case 'extendThenAck':
        await this.#settle(caller, 'Extend', item)
        await loop.sleep(chance.pick([10, 1_500]))
        return this.#settle(caller, 'Ack', item)
      case 'part': {
        const numbers = [...each(item.numbers)]
        const cut = 1 + chance.below(numbers.length)
        const pieces = [numbers.slice(0, cut), numbers.slice(cut)]
        for (const [i, piece] of pieces.entries()) {
          if (piece.length === 0) continue
          const ranges = piece.flatMap((n) => [n, 1])
          await this.#settle(caller, i === 0 ? 'Ack' : 'Retry', { ...item, numbers: ranges })
        }
        return
      }
      default:
        await this.#settle(caller, verdict, item)
        // A second opinion, which comes too late.
        if (this.#isLate && chance.happens(0.5))
          await this.#settle(caller, chance.pick(['Ack', 'Retry', 'Release', 'Extend'] as const), item)
    }
  }

  /** How a consumer gives messages back when its upstream said to come back later. */
  #wait(): Pick<CommandOf<'Release'>, 'delayMs' | 'holdSubscription'> {
    const chance = this.#chance
    const delayMs = chance.pick([0, 300, 900, 2_500])
    return delayMs > 0 && chance.happens(0.6) ? { delayMs, holdSubscription: true } : { delayMs }
  }

  async #settle(
    caller: Caller,
    type: 'Ack' | 'Retry' | 'Release' | 'Extend' | 'DeadLetter',
    item: SettleItem,
  ): Promise<void> {
    const chance = this.#chance
    const items = [item]
    const isEnough = (tries: number): boolean => tries > 20
    const delay = chance.happens(0.3) ? { delayMs: chance.pick([0, 0, 0, 900, 900, 900, 86_400_000]) } : {}
    await (
      type === 'Extend'
        ? caller.ask(this.#partition, { type, items, leaseMs: chance.pick([500, 3_000]) }, isEnough)
        : type === 'Retry'
          ? caller.ask(this.#partition, { type, items, ...delay }, isEnough)
          : type === 'Release' && chance.happens(0.5)
            ? caller.ask(this.#partition, { type, items, ...this.#wait() }, isEnough)
            : caller.ask(this.#partition, { type, items }, isEnough)
    ).catch(onlyDefects)
  }
}

const onlyDefects = (error: unknown): void => {
  if (!isKirokuError(error)) throw error
}
