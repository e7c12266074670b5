import type { BodyRef } from '@kiroku/log'
import {
  decide,
  placePart,
  type LeavingPart,
  type Ownership,
  type QueueState,
  type Turn,
} from '@kiroku/partition'
import { type Answer, type Command, valueBytes } from '@kiroku/protocol'
import { limits } from '../limits.ts'
import type { Owner } from './Owner.ts'
import type { OwnerTask } from './OwnerTask.ts'
import { backoffMs } from './backoffMs.ts'

type SpreadOwner = Pick<Owner, 'log' | 'time' | 'route' | 'act'>

/**
 * Brings the parts of the spread queues whose home is here to what the record wants them to be: retries until they
 * answer, and again whenever something changed. Asking twice changes nothing.
 */
export class SpreadFollower implements OwnerTask {
  readonly #o: SpreadOwner
  #own: Ownership | undefined
  #storedSeq = 0
  /** Parts that are being asked, by queue and partition. */
  readonly #busy = new Set<string>()
  /** Sealed parts that are asked again after a while. */
  readonly #awaited = new Set<string>()
  readonly #timers = new Set<() => void>()
  #isAssuring = false

  constructor(owner: SpreadOwner) {
    this.#o = owner
  }

  begin(own: Ownership, storedSeq: number): void {
    this.#own = own
    this.stored(storedSeq)
  }

  end(): void {
    this.#own = undefined
    this.#busy.clear()
    this.#awaited.clear()
    this.#isAssuring = false
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
  }

  stored(seq: number): void {
    this.#storedSeq = seq
    const own = this.#own
    if (own !== undefined && (own.state.homes.size > 0 || own.state.leaving.length > 0)) this.#look(own)
  }

  #look(own: Ownership): void {
    const { state } = own
    if (state.homes.size > 0) this.#assure(own)
    for (const part of state.leaving) if (part.decidedSeq <= this.#storedSeq) this.#drop(own, part)
    for (const queue of state.homes) {
      const { revision, parts } = queue.spread!
      const progress = own.progressOf(queue)
      for (const part of parts)
        if (!progress.follows(part.partition, revision) || part.state === 'opening')
          this.#place(own, queue, part.partition)
    }
  }

  /** A part that a repair set back does not tell: all are asked from time to time. */
  #assure(own: Ownership): void {
    if (this.#isAssuring) return
    this.#isAssuring = true
    this.#later(limits.partAssureMs, () => {
      this.#isAssuring = false
      for (const queue of own.state.homes)
        for (const { partition } of queue.spread!.parts) this.#place(own, queue, partition)
      this.#look(own)
    })
  }

  #later(ms: number, run: () => void): void {
    const cancel = this.#o.time.after(ms, () => {
      this.#timers.delete(cancel)
      run()
    })
    this.#timers.add(cancel)
  }

  #place(own: Ownership, queue: QueueState, partition: number): void {
    const { state } = own
    const key = `${queue.id}/${partition}`
    const command = (): Command | undefined => {
      const { spread } = queue
      const part = spread?.parts.find((p) => p.partition === partition)
      if (part === undefined || spread!.revisedSeq > this.#storedSeq || !state.homes.has(queue))
        return undefined
      // The partition's former part must be gone, and limits must be shared out among the parts that exist.
      if (state.leaving.some((l) => l.partition === partition && l.name === queue.name)) return undefined
      if (part.state === 'opening' && isLimited(queue) && !othersFollow(own, queue, partition))
        return undefined
      return placePart(state, queue, part)
    }
    const tooLate = (turn: Turn<BodyRef>, asked: Command): void => {
      if (asked.type !== 'PlacePart') return
      decide(turn, { type: 'OutrunPart', queue: queue.id, partition, revision: asked.revision })
    }
    const note = (turn: Turn<BodyRef>, answer: Answer<'PlacePart'>): void => {
      decide(turn, { type: 'ConfirmPart', queue: queue.id, partition, answer: answer.ok! })
      if (queue.spread?.parts.find((p) => p.partition === partition)?.state !== 'sealed') return
      if (this.#awaited.has(key)) return
      this.#awaited.add(key)
      this.#later(limits.partSealedMs, () => {
        this.#awaited.delete(key)
        this.#place(own, queue, partition)
      })
    }
    this.#ask(own, key, partition, command, note, tooLate)
  }

  #drop(own: Ownership, part: LeavingPart): void {
    const { name, queue, partition, revision } = part
    const home = { partition: this.#o.log.partition, queue }
    const command = (): Command => ({ type: 'DropPart', queue: name, home, revision })
    this.#ask(own, `${queue}/${partition} leaves`, partition, command, (turn) => {
      decide(turn, { type: 'ConfirmDrop', part })
    })
  }

  /** Asks until there is an answer, and has it decided; does nothing while that is under way. */
  #ask<A extends Answer>(
    own: Ownership,
    key: string,
    partition: number,
    command: () => Command | undefined,
    note: (turn: Turn<BodyRef>, answer: A) => void,
    tooLate?: (turn: Turn<BodyRef>, asked: Command) => void,
  ): void {
    if (this.#busy.has(key)) return
    const ask = async (failures: number): Promise<void> => {
      const asked = command()
      if (asked === undefined) {
        this.#busy.delete(key)
        return
      }
      const answer = await this.#o.route(partition, [asked]).then(
        (reply) => reply.answers[0] as A | undefined,
        () => undefined,
      )
      if (this.#own !== own) return
      if (answer?.ok === undefined) {
        if (answer?.error?.id === 'QueueMoved' && tooLate !== undefined && failures > 0)
          this.#o.act((turn) => tooLate(turn, asked))
        const pauseMs = backoffMs(failures)
        return this.#later(pauseMs, () => void ask(failures + 1))
      }
      this.#o.act((turn) => {
        this.#busy.delete(key)
        note(turn, answer)
        this.#look(own)
      }, valueBytes(answer.ok))
    }
    this.#busy.add(key)
    void ask(0)
  }
}

const isLimited = (queue: QueueState): boolean => queue.subs.some((sub) => sub.isLimited)

const othersFollow = (own: Ownership, queue: QueueState, partition: number): boolean =>
  queue.spread!.parts.every(
    (p) =>
      p.partition === partition ||
      p.state === 'opening' ||
      own.progressOf(queue).follows(p.partition, queue.spread!.revision),
  )
