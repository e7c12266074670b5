import { type Command, KirokuError, type Reply } from '@kiroku/protocol'
import type { Party } from '../core/Party.ts'
import type { Environment } from './Environment.ts'
import type { Exchange } from './Exchange.ts'
import type { NodeNetwork, NodeProcess } from './NodeProcess.ts'
import type { Placement } from './Placement.ts'
import { outcomesOf } from './outcomesOf.ts'

/** How long a reply that is delayed takes, in ms. */
const delaysMs = [3, 40, 900, 5_000] as const
/** When a copy of a request comes. */
const copiedMs = [900, 10_000, 30_000, 100_000] as const

/** The way between parties: requests find the owner of a partition, or do not, and replies come, or do not. */
export class Network implements NodeNetwork {
  readonly #world: Environment
  readonly #placement: Placement
  readonly #listeners = new Map<(partition: number, epoch: number) => void, Party>()
  #exchanges = 0

  constructor(world: Environment, placement: Placement) {
    this.#world = world
    this.#placement = placement
  }

  /** One request, with one reply. Errors: `Timeout`, `Unavailable`. */
  request(from: Party, partition: number, commands: readonly Command[], timeoutMs: number): Promise<Reply> {
    const { loop, chance, odds, coverage } = this.#world
    const exchange: Exchange = { id: ++this.#exchanges, from, partition, commands, sentMs: loop.nowMs }
    for (const { type } of commands) coverage.add('command', type)
    return new Promise((resolve, reject) => {
      const cancel = loop.after(
        timeoutMs,
        () => {
          coverage.add('fault', 'request without a reply')
          reject(new KirokuError('Timeout', 'no answer'))
        },
        from,
      )
      if (chance.happens(odds.requestLost)) {
        coverage.add('fault', 'request lost')
        return
      }
      const back = (run: () => void): void => {
        loop.after(
          chance.pick([0, 0, 1]),
          () => {
            cancel()
            run()
          },
          from,
        )
      }
      const { leaps } = this.#world
      if (commands[0]?.type === 'Forward' && odds.replyDelayed > 0 && chance.happens(0.5))
        this.#keepCopy(exchange)
      loop.after(
        chance.pick([0, 0, 1]),
        () => {
          // What was under way meanwhile is not any more.
          if (this.#world.leaps !== leaps) return
          const process = this.#route(partition)
          if (process === undefined) return back(() => reject(new KirokuError('Unavailable', 'nobody there')))
          loop.after(
            0,
            () =>
              this.#serve(process, exchange, (reply) => {
                this.#reply(process, exchange, reply, back, resolve)
              }),
            process.party,
          )
        },
        null,
      )
    })
  }

  /** What was sent arrives once more, when its sender may have moved on. */
  #keepCopy({ from, partition, commands, sentMs }: Exchange): void {
    const { loop, chance, coverage } = this.#world
    const copy: Exchange = { id: ++this.#exchanges, from, partition, commands, sentMs }
    loop.after(
      chance.pick(copiedMs),
      () => {
        const process = this.#route(partition)
        if (process === undefined) return
        coverage.add('fault', 'forward copied')
        loop.after(0, () => this.#serve(process, copy, () => {}), process.party)
      },
      null,
    )
  }

  /** Tells listeners that a partition has a new owner. */
  announce(partition: number, epoch: number): void {
    const { loop, chance, odds, coverage } = this.#world
    for (const [listener, party] of this.#listeners) {
      if (chance.happens(odds.announcementLost)) coverage.add('fault', 'announcement lost')
      else loop.after(chance.pick([0, 1, 50]), () => listener(partition, epoch), party)
    }
  }

  /** Hears of new owners. Returns how to stop. */
  listen(party: Party, listener: (partition: number, epoch: number) => void): () => void {
    this.#listeners.set(listener, party)
    return () => this.#listeners.delete(listener)
  }

  #route(partition: number): NodeProcess | undefined {
    const { chance, odds, coverage, isCalm } = this.#world
    const owner = this.#placement.ownerOf(partition)
    // A former owner listens until it knows better; in a calm world all do.
    if (!isCalm && chance.happens(odds.strayRequest)) {
      const others = this.#placement.processes.filter(
        (p) => p !== owner && !p.party.isDead && p.node.actors.has(partition),
      )
      if (others.length > 0) {
        coverage.add('fault', 'request to an earlier owner')
        return chance.pick(others)
      }
    }
    return owner?.node.actors.has(partition) === true ? owner : undefined
  }

  #serve(process: NodeProcess, exchange: Exchange, done: (reply: Reply) => void): void {
    const { judges, loop, coverage } = this.#world
    const actor = process.node.actors.get(exchange.partition)
    // As with a subscription that is gone when the request comes.
    if (actor === undefined) return
    exchange.node = process.name
    exchange.arrivedMs = loop.nowMs
    judges.arrived(exchange)
    process.requests.add(exchange)
    actor.request(exchange.commands).then(
      (reply) => {
        if (process.party.isDead) return
        process.requests.delete(exchange)
        exchange.reply = reply
        for (const [i, command] of exchange.commands.entries())
          for (const outcome of outcomesOf(command, reply.answers[i]!)) coverage.add('outcome', outcome)
        judges.left(exchange, reply)
        done(reply)
      },
      (error: Error) => this.#world.fail(error),
    )
  }

  #reply(
    process: NodeProcess,
    exchange: Exchange,
    reply: Reply,
    back: (run: () => void) => void,
    resolve: (reply: Reply) => void,
  ): void {
    const { loop, chance, odds, coverage, judges, history } = this.#world
    const { from } = exchange
    const arrive = (): void => {
      if (from.isDead) return this.#undelivered(process, reply, exchange.partition)
      back(() => {
        judges.heard(exchange, reply)
        resolve(reply)
      })
    }
    history.note(() => `answers ${from.name}: ${describe(exchange, reply)}`)
    if (chance.happens(odds.replyLost)) {
      coverage.add('fault', 'reply lost')
      return
    }
    if (!chance.happens(odds.replyDelayed)) return arrive()
    coverage.add('fault', 'reply delayed')
    loop.after(chance.pick(delaysMs), arrive, null)
  }

  /** "No responders": the requester is gone, and its node learns of it at once. */
  #undelivered(process: NodeProcess, reply: Reply, partition: number): void {
    const { loop, chance, coverage } = this.#world
    for (const { ok } of reply.answers) {
      if (ok === undefined || !('delivery' in ok) || typeof ok.delivery !== 'object') continue
      const { delivery } = ok
      coverage.add('fault', 'delivery to nobody')
      if (chance.happens(0.5)) continue
      loop.after(0, () => process.node.undelivered(partition, delivery), process.party)
    }
  }
}

const describe = ({ partition, commands }: Exchange, reply: Reply): string =>
  commands
    .map((command, i) => {
      const answer = reply.answers[i]!
      const what = JSON.stringify(answer.error?.id ?? answer.ok, (key, value: unknown) =>
        key === 'messages' || key === 'config' ? undefined : value,
      )
      return `partition ${partition}, epoch ${reply.epoch}, ${brief(command)} → ${what}`
    })
    .join('; ')

/** A command in a line. */
export const brief = (command: Command): string =>
  JSON.stringify(command, (key, value: unknown) => {
    if (key === 'config' || key === 'by') return undefined
    return key === 'messages' ? (value as unknown[]).length : value
  })
