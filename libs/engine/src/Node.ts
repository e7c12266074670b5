import { setImmediate as nextTick } from 'node:timers/promises'
import type { Log, PartitionLog } from '@kiroku/log'
import {
  type Command,
  type Delivery,
  KirokuError,
  type PartitionDescription,
  type QueueDescription,
  type Reply,
} from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import type * as Scope from 'effect/Scope'
import { liveTime, type Time } from './Time.ts'
import { PartitionActor } from './actor/PartitionActor.ts'
import type { ActorState } from './actor/lifecycle.ts'
import type { CheckpointPolicy } from './checkpoint/Checkpoints.ts'
import { BodyMemory } from './bodies/BodyMemory.ts'
import { CheckpointThreads } from './checkpoint/CheckpointThreads.ts'
import { AheadTurns, StateAhead } from './checkpoint/StateAhead.ts'
import type { TailNotes } from './checkpoint/TailNotes.ts'
import { limits } from './limits.ts'
import { memoryShares, type MemoryShares } from './memoryShares.ts'
import { RoomWatch } from './store/RoomWatch.ts'
import { StateMemory } from './store/StateMemory.ts'
import { UnreadableLog } from './store/UnreadableLog.ts'
import { asKirokuError } from './asKirokuError.ts'
import { isDamage } from './isDamage.ts'

/** What a node needs. */
export interface NodeOptions {
  readonly log: Log
  /** Name of this node; unique per process. */
  readonly name: string
  readonly time?: Time
  readonly random?: () => number
  /** Sends commands to partitions that other nodes own. Absent: there are none. */
  readonly remote?: (partition: number, commands: readonly Command[]) => Promise<Reply>
  readonly tailNotes?: TailNotes
  /** How much memory this process and its helpers may take, in bytes. Absent: as much as the limits allow. */
  readonly memoryBytes?: number
  /** When partitions make checkpoints; default: every 32 MiB, or every hour. */
  readonly checkpoints?: CheckpointPolicy
  /** Called with every change in the life of a partition's actor. */
  readonly onState?: (partition: number, state: ActorState, epoch: number, reason: string) => void
  /** Called with what failed in a partition and is retried, in one sentence. */
  readonly onTrouble?: (partition: number, what: string) => void
  /** Called, with what waits and why, when messages take so much memory that sends must wait, or receives as well. */
  readonly onMemoryFull?: (reason: string) => void
}

/** How far a node can rely on its lock on a partition. */
export interface LockLease {
  /** `performance.now()` of the last time the lock was confirmed. */
  readonly confirmedAtMs: () => number
  readonly ttlMs: number
  /** Whether the next owner has the partition's state already. */
  readonly isLoadedAhead?: () => boolean
  /** Called once, with why, where this version cannot read what a newer one wrote to the partition's log. */
  readonly refuse?: (reason: string) => void
}

/** One engine process: the actors of the partitions that it owns now. */
export class Node {
  readonly #o: NodeOptions
  readonly #time: Time
  readonly #store: RoomWatch
  readonly #memory: MemoryShares
  readonly #bodies: BodyMemory
  /** What the messages of its partitions take in memory, of those that it owns and of those that it follows. */
  readonly stateMemory: StateMemory
  readonly #turns: AheadTurns
  readonly #threads = new CheckpointThreads()
  readonly #actors = new Map<number, PartitionActor>()
  readonly #ahead = new Map<number, StateAhead>()
  /** The logs of those partitions, opened for the ownership that comes. */
  readonly #opened = new Map<number, PartitionLog>()
  readonly #ownerListeners = new Set<(partition: number, epoch: number) => void>()
  readonly #takeOvers = new Map<number, number>()

  constructor(options: NodeOptions) {
    this.#o = options
    this.#time = options.time ?? liveTime
    this.#store = new RoomWatch(options.log, this.#time)
    this.#turns = new AheadTurns(this.#time)
    this.#memory = memoryShares(options.memoryBytes ?? Infinity, options.log.meta.partitions)
    this.#bodies = new BodyMemory(this.#memory.bodyCacheBytesMax)
    const states = () => {
      const owned = [...this.#actors.values()].flatMap((actor) => (actor.hasState ? [actor.state] : []))
      // An ownership begins with what was loaded ahead.
      return new Set([...owned, ...[...this.#ahead.values()].flatMap(({ state }) => state ?? [])])
    }
    this.stateMemory = new StateMemory(this.#memory.stateBytesMax, states, this.#time, (reason) =>
      options.onMemoryFull?.(reason),
    )
  }

  get name(): string {
    return this.#o.name
  }
  get log(): Log {
    return this.#o.log
  }
  /** How often each partition was taken over here since this node began, also where it is another's now. */
  get takeOvers(): ReadonlyMap<number, number> {
    return this.#takeOvers
  }
  /** The actors that run here, by partition. */
  get actors(): ReadonlyMap<number, PartitionActor> {
    return this.#actors
  }

  /** What is loaded of partitions that other nodes own, by partition. */
  get ahead(): ReadonlyMap<number, Pick<StateAhead, 'reachedSeq' | 'behind'>> {
    return this.#ahead
  }

  /**
   * Loads a partition that will be owned here, or is if its owner dies, while another node still serves it, and keeps near the end of
   * its log until the scope closes or the ownership begins. Succeeds when it is loaded. Fails as an ownership does, and then tries again.
   */
  loadAhead(partition: number): Effect.Effect<void, KirokuError, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      const open = Effect.tryPromise({ try: () => this.#o.log.partition(partition), catch: asKirokuError })
      const [read, owned] = yield* Effect.all([open, open])
      const ahead = new StateAhead(read, this.#time, this.#turns)
      this.#ahead.set(partition, ahead)
      this.#opened.set(partition, owned)
      yield* Effect.addFinalizer(() =>
        Effect.promise(async () => {
          if (this.#ahead.get(partition) === ahead) this.#ahead.delete(partition)
          await ahead.close()
          if (this.#opened.get(partition) !== owned) return
          this.#opened.delete(partition)
          await owned.close()
        }),
      )
      yield* Effect.tryPromise({ try: () => ahead.load(), catch: asKirokuError })
    })
  }

  /** The lock of a partition is being taken for this node: looks at the end of its log meanwhile, where it is loaded ahead. */
  expect(partition: number): void {
    this.#ahead.get(partition)?.expect()
  }

  /**
   * Owns a partition until its scope closes, which hands it over. Fails when the ownership is lost or cannot
   * begin; a partition that is damaged, or whose log the store does not have, stays, quarantined, so that it can be
   * asked why, until a repair writes to its log or the store has it again.
   */
  run(partition: number, lease?: LockLease): Effect.Effect<never, KirokuError, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      const open = Effect.tryPromise({ try: () => this.#o.log.partition(partition), catch: asKirokuError })
      const opened = this.#opened.get(partition)
      this.#opened.delete(partition)
      const log =
        opened ??
        (yield* open.pipe(
          Effect.catchIf(cannotBeRead, (error) => Effect.succeed(new UnreadableLog(partition, error))),
        ))
      const { meta } = this.#o.log
      const actor = new PartitionActor({
        log,
        keys: this.#o.log.keys,
        incarnation: meta.incarnation,
        partitions: meta.partitions,
        record: { ms: meta.recordMs, bytes: meta.recordBytes / meta.partitions },
        checkpoints: this.#o.checkpoints ?? {
          bytesMin: limits.checkpointBytesMin,
          ageMs: limits.checkpointAgeMs,
          replayMsMax: limits.replayMsMax,
        },
        threads: this.#threads,
        node: this.#o.name,
        time: this.#time,
        random: this.#o.random ?? Math.random,
        lockFresh: () => lease === undefined || performance.now() - lease.confirmedAtMs() < lease.ttlMs / 2,
        isLoadedAhead: () => lease?.isLoadedAhead?.() === true,
        route: (to, commands) => this.request(to, commands),
        store: this.#store,
        bodies: this.#bodies,
        mailboxBytesMax: this.#memory.mailboxBytesMax,
        stateMemory: this.stateMemory,
        loads: this.#turns.loads,
        ahead: this.#ahead.get(partition),
        tailNotes: this.#o.tailNotes,
        onState: (state, reason) => this.#o.onState?.(partition, state, actor.epoch, reason),
        onTrouble: (what) => this.#o.onTrouble?.(partition, what),
      })
      yield* Effect.addFinalizer(() =>
        Effect.promise(async () => {
          await actor.drain()
          if (this.#actors.get(partition) === actor) this.#actors.delete(partition)
          await log.close()
        }),
      )
      this.#actors.set(partition, actor)
      yield* Effect.tryPromise({ try: () => actor.start(), catch: asKirokuError }).pipe(
        Effect.catchIf(isDamage, () => Effect.void),
      )
      if (actor.life === 'Active') {
        this.#takeOvers.set(partition, (this.#takeOvers.get(partition) ?? 0) + 1)
        for (const listener of this.#ownerListeners) listener(partition, actor.epoch)
      }
      const error = yield* Effect.promise(() => actor.ended)
      if (error?.id === 'FutureVersion') lease?.refuse?.(error.message)
      if (error !== undefined && isDamage(error)) {
        // The store may have lost it since it was opened.
        const isGone = log instanceof UnreadableLog || !(yield* Effect.isSuccess(open))
        yield* isGone ? untilThere(open) : untilWritten(log)
        return yield* Effect.fail(
          new KirokuError(
            'NotOwner',
            `partition ${partition} was written by another process, or can be read again`,
            {
              cause: error,
            },
          ),
        )
      }
      return yield* Effect.fail(
        error ?? new KirokuError('NotOwner', `partition ${partition} was handed over`),
      )
    })
  }

  /** Sends commands to a partition, here or elsewhere. */
  request(partition: number, commands: readonly Command[]): Promise<Reply> {
    const actor = this.#actors.get(partition)
    if (actor !== undefined && actor.life !== 'Released' && actor.life !== 'Fenced')
      return actor.request(commands)
    if (this.#o.remote !== undefined) return this.#o.remote(partition, commands)
    return Promise.reject(new KirokuError('Unavailable', `partition ${partition} has no owner now`))
  }

  /** Tells the owner that a delivery reached no consumer: its messages are released, at the cost of no attempt. */
  undelivered(partition: number, delivery: Delivery): void {
    this.#actors.get(partition)?.undelivered({
      queue: delivery.queue,
      sub: delivery.sub,
      delivery: delivery.delivery,
      numbers: delivery.numbers,
      leaseUntil: delivery.leaseUntil,
    })
  }

  /** Calls `listener` when a partition becomes active here. Returns the unsubscribe. */
  onOwnerChanged(listener: (partition: number, epoch: number) => void): () => void {
    this.#ownerListeners.add(listener)
    return () => this.#ownerListeners.delete(listener)
  }

  /**
   * What is owned here, from memory: it is known while the log does not answer, too. There may be many queues, so that others have
   * their turn in between.
   */
  async describe(): Promise<{
    readonly partitions: PartitionDescription[]
    readonly queues: QueueDescription[]
  }> {
    const actors = [...this.#actors.values()].filter(({ isDescribable }) => isDescribable)
    const queues: QueueDescription[] = []
    for (const actor of actors)
      for (const page of actor.describeQueues()) {
        for (const queue of page) queues.push(queue)
        await nextTick()
      }
    return { partitions: actors.map((actor) => actor.describe()), queues }
  }

  /** What clients must know about the log. */
  directory(): Promise<{ log: string; incarnation: string; partitions: number }> {
    const { name, incarnation, partitions } = this.#o.log.meta
    return Promise.resolve({ log: name, incarnation, partitions })
  }
}

/** Waits until the store has a partition's log again. */
const untilThere = <A>(open: Effect.Effect<A, KirokuError>): Effect.Effect<A> =>
  open.pipe(
    Effect.tapError(() => Effect.sleep(limits.quarantinePollMs)),
    Effect.eventually,
  )

/** Waits until a log that is closed here is written to: that is how a repair reopens it. */
const untilWritten = (log: PartitionLog): Effect.Effect<void> => {
  const lastSeq = Effect.promise(() =>
    log.state().then(
      (state) => state.lastSeq,
      () => undefined,
    ),
  )
  return Effect.gen(function* () {
    let before: number | undefined
    for (;;) {
      const now = yield* lastSeq
      if (before !== undefined && now !== undefined && now > before) return
      before ??= now
      yield* Effect.sleep(limits.quarantinePollMs)
    }
  })
}

/** The store has no log for this partition: an immediate retry does not help. */
const cannotBeRead = (e: KirokuError): boolean => isDamage(e) || e.id === 'ForeignStream'
