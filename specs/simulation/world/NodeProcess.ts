import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { Node, TailNotes, type LockLease, type NoteFiles } from '@kiroku/engine'
import type { Command, Reply } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { Loop } from '../core/Loop.ts'
import { Party } from '../core/Party.ts'
import type { Environment } from './Environment.ts'
import type { Exchange } from './Exchange.ts'
import { NodeLog } from './NodeLog.ts'

/** The way from a process to the others. */
export interface NodeNetwork {
  request(from: Party, partition: number, commands: readonly Command[], timeoutMs: number): Promise<Reply>
  announce(partition: number, epoch: number): void
}

/** Who a process has to do with. */
interface Neighbours {
  readonly network: NodeNetwork
  /** Hears that the process is dead. */
  readonly died: (process: NodeProcess) => void
}

/** One engine process of the world. */
export class NodeProcess {
  readonly party: Party
  readonly node: Node
  readonly log: NodeLog
  readonly #world: Environment
  readonly #scopes = new Map<number, Scope.Closeable>()
  readonly #followed = new Map<number, Scope.Closeable>()
  readonly #died: Promise<void>
  /** Of its own, so that what is loaded ahead changes nothing else. */
  readonly #chance: Chance
  /** Requests that it took and has not answered. */
  readonly requests = new Set<Exchange>()

  /** Small files of its machine, which outlive it. */
  readonly disk: Map<string, string>

  constructor(
    world: Environment,
    { network, died }: Neighbours,
    name: string,
    disk = new Map<string, string>(),
  ) {
    this.#world = world
    this.disk = disk
    this.#chance = world.chance.stream(`${name} loads ahead`)
    const { loop, chance, coverage, history } = world
    let end = (): void => {}
    this.#died = new Promise((resolve) => (end = resolve))
    this.party = new Party(name, () => {
      end()
      history.note(() => `${name} dies`)
      coverage.add('party', 'node died')
      this.requests.clear()
      died(this)
    })
    const monotonicFromMs = chance.below(1_000_000)
    this.log = new NodeLog(world, this.party)
    this.node = new Node({
      log: this.log,
      name,
      time: {
        monotonicMs: () => monotonicFromMs + loop.nowMs,
        wallMs: () => Date.now(),
        after: (ms, run) => loop.after(ms, run, this.party),
      },
      random: () => chance.next(),
      remote: (partition, commands) => network.request(this.party, partition, commands, 3_000),
      checkpoints: world.plan.checkpoints,
      tailNotes: new TailNotes(notesOn(disk, loop), world.log.meta.incarnation),
      onState: (partition, state, epoch, reason) => {
        coverage.add('actor', state)
        history.note(() => `actor ${partition} is ${state}, epoch ${epoch}: ${reason}`)
        world.judges.turned(partition, name, state, reason)
      },
    })
    this.node.onOwnerChanged((partition, epoch) => network.announce(partition, epoch))
  }

  get name(): string {
    return this.party.name
  }

  owns(partition: number): boolean {
    return this.#scopes.has(partition)
  }

  /** Runs the actor of a partition; `ended` is called when it has ended by itself. */
  own(partition: number, lease: LockLease, ended: (error: string) => void): void {
    this.#world.loop.as(this.party, () => {
      // What it sees of the end of the log may be old by the time it fences.
      this.node.expect(partition)
      const scope = Effect.runSync(Scope.make())
      this.#scopes.set(partition, scope)
      const fiber = Effect.runFork(this.node.run(partition, lease).pipe(Scope.provide(scope)))
      fiber.addObserver((exit) => {
        if (this.#scopes.get(partition) !== scope) return
        const error = Exit.isFailure(exit) ? exit.cause.toString() : 'it ended without an error'
        this.release(partition).then(
          () => ended(error),
          (failure: Error) => this.#world.fail(failure),
        )
      })
    })
  }

  /** Is the standby of a partition: loads it, and follows its log until it is told to end that. */
  follow(partition: number): void {
    if (this.party.isDead || this.#followed.has(partition) || this.owns(partition)) return
    this.#world.coverage.add('party', 'log followed')
    this.#world.history.note(() => `${this.name} follows ${partition}`)
    this.#followed.set(partition, this.#loadAhead(partition))
  }

  unfollow(partition: number): void {
    const scope = this.#followed.get(partition)
    this.#followed.delete(partition)
    if (scope !== undefined && !this.party.isDead) this.#close(scope)
  }

  #loadAhead(partition: number): Scope.Closeable {
    return this.#world.loop.as(this.party, () => {
      const scope = Effect.runSync(Scope.make())
      // A log that cannot be read is a matter of the ownership that comes.
      Effect.runFork(Effect.ignore(this.node.loadAhead(partition).pipe(Scope.provide(scope))))
      return scope
    })
  }

  #close(scope: Scope.Closeable): void {
    this.#world.loop.as(this.party, () => void Effect.runPromise(Scope.close(scope, Exit.void)))
  }

  /** Loads a partition that it may own soon, or does not; for so long as to be of use or not. */
  mayLoadAhead(partition: number): void {
    const chance = this.#chance
    if (this.party.isDead || !chance.happens(0.5)) return
    const { loop, coverage } = this.#world
    coverage.add('party', 'state loaded ahead')
    const scope = this.#loadAhead(partition)
    loop.after(chance.pick([100, 5_000, 30_000]), () => this.#close(scope), this.party)
  }

  /** Hands a partition over, unless it dies meanwhile. */
  async release(partition: number): Promise<void> {
    const scope = this.#scopes.get(partition)
    if (scope === undefined) return
    this.#scopes.delete(partition)
    const closed = this.#world.loop.as(this.party, () => Effect.runPromise(Scope.close(scope, Exit.void)))
    await Promise.race([closed, this.#died])
  }
}

const notesOn = (disk: Map<string, string>, loop: Loop): NoteFiles => ({
  read: (file) => {
    const text = disk.get(file)
    if (text === undefined) throw new Error(`there is no ${file}`)
    return text
  },
  write: async (file, text) => {
    await loop.sleep(1)
    disk.set(file, text)
  },
})
