import { isSealed } from '@kiroku/log'
import {
  availableAmong,
  decide,
  lettersOf,
  redriveNumbers,
  type Ownership,
  type PartitionState,
  type RedriveMove,
  type Subscription,
} from '@kiroku/partition'
import {
  rangeTotal,
  decodeEnvelope,
  heldWarning,
  isDryRun,
  isKirokuError,
  KirokuError,
  rangeBytes,
  type Ranges,
  type Redrive,
  valueBytes,
} from '@kiroku/protocol'
import { openMessage } from '../bodies/openDelivery.ts'
import { limits } from '../limits.ts'
import type { Owner } from './Owner.ts'
import type { OwnerTask } from './OwnerTask.ts'
import { RangeCursor } from './RangeCursor.ts'
import { RedriveJudge, type RedriveCandidate } from './RedriveJudge.ts'
import { RedriveTargets } from './RedriveTargets.ts'
import { backoffMs } from './backoffMs.ts'
import { passesByTime } from './redriveFilter.ts'

/** Characters of why a redrive failed, for its record. */
const noteCharactersMax = 300
/** Characters of what did not arrive, for its record: a redrive may have moved messages to many queues that were deleted. */
const warningCharactersMax = 4_000

type RedriveOwner = Pick<
  Owner,
  | 'partitions'
  | 'time'
  | 'route'
  | 'cache'
  | 'ring'
  | 'schemas'
  | 'sizes'
  | 'storage'
  | 'act'
  | 'now'
  | 'damaged'
>

/** One redrive while it is worked on. */
interface Job {
  readonly own: Ownership
  readonly redrive: Redrive
  readonly sub: Subscription
  readonly cursor: RangeCursor
  readonly judge: RedriveJudge
}

/**
 * Moves the messages of redrives, some per turn: goes through them in the order of their numbers, finds out where each
 * goes, and has the partition decide. What moved is on record, so that the next owner continues with the rest.
 */
export class Redriver implements OwnerTask {
  readonly #o: RedriveOwner
  #own: Ownership | undefined
  readonly #busy = new Set<Redrive>()
  /** Redrives that wait until something is stored. */
  #waiting: (() => void)[] = []
  /** Cancel the pauses of redrives. */
  readonly #pauses = new Set<() => void>()

  constructor(owner: RedriveOwner) {
    this.#o = owner
  }

  begin(own: Ownership): void {
    this.end()
    this.#own = own
    this.#look(own)
  }

  drain(): void {
    this.end()
  }

  end(): void {
    this.#own = undefined
    this.#busy.clear()
    this.#waiting = []
    for (const cancel of this.#pauses) cancel()
    this.#pauses.clear()
  }

  /** A redrive may have begun; a dry run never gets to be stored. */
  decided(): void {
    const own = this.#own
    if (own === undefined) return
    if (own.state.redrives.size > 0 || own.dryRuns.running.size > 0) this.#look(own)
  }

  /** Begins those that are not worked on yet. */
  #look(own: Ownership): void {
    const { state } = own
    for (const redrive of [...state.redrives, ...own.dryRuns.running]) {
      if (this.#busy.has(redrive)) continue
      const sub = state.subscriptionOf(redrive.queue, redrive.sub)
      if (sub === undefined) continue
      this.#busy.add(redrive)
      void this.#run(this.#begin(own, redrive, sub)).finally(() => this.#busy.delete(redrive))
    }
  }

  /** The outbox may have room again. */
  stored(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const goOn of waiting) goOn()
  }

  #begin(own: Ownership, redrive: Redrive, sub: Subscription): Job {
    const { partitions, route, time } = this.#o
    const targets = new RedriveTargets(route, partitions, () => time.monotonicMs())
    const { state } = own
    return {
      own,
      redrive,
      sub,
      cursor: new RangeCursor(redriveNumbers(state, sub, redrive)),
      judge: new RedriveJudge(redrive, state.partition, targets, this.#o.schemas, () => this.#o.now()),
    }
  }

  #isOver({ own, redrive }: Job): boolean {
    return this.#own !== own || !own.isRunning(redrive)
  }

  async #run(job: Job): Promise<void> {
    const { redrive } = job
    const rateMax = isDryRun(redrive) ? 0 : redrive.rateMax
    const most = this.#o.sizes.redriveMessagesMax
    const batch =
      rateMax === 0 ? most : Math.min(most, Math.max(1, Math.floor(rateMax / limits.redriveTurnsPerSecond)))
    let look = batch
    let nextAt = 0
    let failures = 0
    while (!this.#isOver(job)) {
      if (this.#isDone(job)) {
        await this.#finish(job)
        continue
      }
      if (await this.#waited(job, nextAt)) continue
      let moved: number
      try {
        moved = await this.#step(job, look, batch)
        failures = 0
      } catch (e) {
        if (!isKirokuError(e)) return this.#fail(job, e)
        // A target that cannot be asked now, or a message that moved on while it was looked at.
        await this.#pause(backoffMs(failures++))
        continue
      }
      // Where few messages pass the filter, more are read per message that goes.
      look = moved > 0 ? batch : Math.min(2 * look, most)
      if (rateMax > 0) nextAt = Math.max(nextAt, this.#o.now()) + (moved * 1_000) / rateMax
    }
  }

  /** Whether it has read everything, or moved as many as it may. */
  #isDone({ redrive, cursor }: Job): boolean {
    return cursor.left === 0 || (redrive.messagesMax > 0 && redrive.moved >= redrive.messagesMax)
  }

  /** Ends a redrive once what it moved has arrived, but for what cannot. */
  #finish({ own, redrive, cursor }: Job): Promise<void> {
    const letters = lettersOf(own, redrive)
    if (letters.some(({ held }) => held === undefined)) return this.#stir()
    const note = letters
      .flatMap((lane) => heldWarning(lane) ?? [])
      .join(' ')
      .slice(0, warningCharactersMax)
    const ended = { outcome: 'completed', note } as const
    return new Promise((resolve) =>
      this.#o.act((turn) => {
        const step = { moves: [], skipped: {}, filtered: 0, left: cursor.left, ended }
        decide(turn, { type: 'MoveRedriven', redrive, step })
        resolve()
      }, valueBytes(ended)),
    )
  }

  /** Ends a redrive that would fail in the same way each time. */
  #fail({ redrive, cursor }: Job, e: unknown): void {
    const note = `a defect: ${e instanceof Error ? e.message : String(e)}`.slice(0, noteCharactersMax)
    const ended = { outcome: 'failed', note } as const
    const step = { moves: [], skipped: {}, filtered: 0, left: cursor.left, ended }
    this.#o.act((turn) => decide(turn, { type: 'MoveRedriven', redrive, step }))
  }

  /** Waits for what must come first: room in the outbox and in the log, and the time by the rate. */
  async #waited(job: Job, nextAt: number): Promise<boolean> {
    if (isDryRun(job.redrive)) return false
    if (this.#inOutbox(job) >= limits.redriveOutboxMax) {
      await this.#stir()
      return true
    }
    const pauseMs = !this.#o.storage.full ? nextAt - this.#o.now() : limits.storageCheckMs
    if (pauseMs <= 0) return false
    await this.#pause(pauseMs)
    return true
  }

  /** Looks at the next messages and has those moved that can go; returns how many. */
  async #step(job: Job, look: number, batch: number): Promise<number> {
    const { own, redrive, sub, cursor, judge } = job
    const numbers = cursor.peek(look)
    const messages = availableAmong(own.state, sub, numbers)
    const movesMax = redrive.messagesMax === 0 ? batch : Math.min(batch, redrive.messagesMax - redrive.moved)
    const { looked, failed, ...verdicts } = await judge.judge(await this.#candidates(job, messages), movesMax)
    // Numbers that are no longer available are skipped.
    const next = messages[looked]
    cursor.passUpTo(next === undefined ? lastOf(numbers) : next.number - 1)
    const ended = failed === undefined ? undefined : { outcome: 'failed' as const, note: failed }
    const before = redrive.moved
    return new Promise((resolve) =>
      this.#o.act((turn) => {
        decide(turn, {
          type: 'MoveRedriven',
          redrive,
          step: {
            ...verdicts,
            left: cursor.left,
            ...(ended === undefined ? {} : { ended }),
          },
        })
        resolve(redrive.moved - before)
      }, stepBytes(verdicts.moves)),
    )
  }

  /** As many of the messages as may be read together, with their metadata where that counts. */
  async #candidates(
    { own, redrive, sub, judge }: Job,
    messages: readonly RedriveCandidate[],
  ): Promise<readonly RedriveCandidate[]> {
    const { filter } = redrive
    // Where a body was edited, it must fit the schema of the target.
    if (sub.queue.editedSeq === 0 && !(await judge.looksInside())) return messages
    const candidates: RedriveCandidate[] = []
    let bytes = 0
    for (const message of messages) {
      bytes += message.bytes
      if (candidates.length > 0 && bytes > limits.redriveBytesMax) break
      if (!passesByTime(filter, message.enqueuedAt)) {
        candidates.push(message)
        continue
      }
      const [body] = await this.#o.cache
        .fetch([message.seq], sub.queue.id, [message.index])
        .catch((e: unknown) => {
          const isDamage = isKirokuError(e) && e.id === 'LogDamaged'
          // The body may have been in a frame that was never stored, which the state was then rebuilt without.
          if (isDamage && this.#own === own && liesThere(own.state, sub, message)) this.#o.damaged(e)
          throw new KirokuError('Unavailable', 'a body cannot be read now', { cause: e })
        })
      const inside = isSealed(body!)
        ? { meta: await openMessage(this.#o.ring, body!) }
        : decodeEnvelope(body!)
      candidates.push({ ...message, ...inside })
    }
    return candidates
  }

  /** Messages of the queue that the outbox still holds, without those that cannot arrive now: they hold up no others. */
  #inOutbox({ own, redrive }: Job): number {
    let count = 0
    for (const lane of own.state.outbox.values())
      if (lane.source === redrive.queue && !own.held.has(lane)) count += lane.entries.length
    return count
  }

  /** Waits until something is stored, or for a while: that a lane is held is not stored. */
  #stir(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#o.time.after(limits.redriveTargetMs, () => goOn())
      const goOn = (): void => {
        cancel()
        this.#pauses.delete(cancel)
        resolve()
      }
      this.#pauses.add(cancel)
      this.#waiting.push(goOn)
    })
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#o.time.after(Math.ceil(ms), () => {
        this.#pauses.delete(cancel)
        resolve()
      })
      this.#pauses.add(cancel)
    })
  }
}

/** The most that a step takes on record: one fact per move, in which each message may be a range of its own. */
const stepBytes = (moves: readonly RedriveMove[]): number => {
  let bytes = 2 * 1024
  for (const move of moves) bytes += 400 + valueBytes(move.target) + rangeBytes * rangeTotal(move.numbers)
  return bytes
}

/** Whether a message is still available with its body in that place: it may have been delivered meanwhile. */
const liesThere = (state: PartitionState, sub: Subscription, { number, seq }: RedriveCandidate): boolean =>
  availableAmong(state, sub, [number, 1])[0]?.seq === seq

const lastOf = (numbers: Ranges): number => (numbers.length === 0 ? 0 : numbers.at(-2)! + numbers.at(-1)! - 1)
