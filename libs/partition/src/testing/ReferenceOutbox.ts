import type { LogEventOf, QueueAddress } from '@kiroku/protocol'
import { laneKey } from '../forward/Outbox.ts'
import type { LawLane, LawQueue } from './ReferenceQueue.ts'
import { numbersOf } from './TestPartition.ts'
import { lawful } from './lawfulEvents.ts'

/** A message on its way, with the subscription that gave it up; undefined: it was redriven. */
interface Leaving {
  readonly number: number
  readonly sub: string | undefined
}

/** What a partition still has to forward, letter by letter, held against the law: numbers without a gap, and no letter lost. */
export class ReferenceOutbox {
  readonly #lanes = new Map<string, LawLane>()
  /** What new lanes begin with, above all that was used. */
  #firstForward = 1

  /** Letters leave a queue. Forwards are numbered without a gap. */
  enter(
    queue: number,
    target: QueueAddress,
    name: string,
    forward: number,
    letters: readonly Leaving[],
  ): void {
    const key = laneKey(queue, target)
    const lane = this.#lanes.get(key) ?? { name, next: this.#firstForward, letters: [] }
    this.#lanes.set(key, lane)
    lawful(forward === lane.next && letters.length > 0, `forward ${forward} out of turn`)
    for (const letter of letters) lane.letters.push({ ...letter, forward: lane.next++ })
  }

  /** Letters arrived. */
  forwarded({ source, target, upTo }: LogEventOf<'Forwarded'>): void {
    const lane = this.#lanes.get(laneKey(source, target))
    lawful(lane !== undefined && upTo <= lane.next, `forwards up to ${upTo} that never left`)
    lane!.letters = lane!.letters.filter(({ forward }) => forward >= upTo)
  }

  /** Lanes of a deleted queue end. `isThere`: whether the queue still exists, which the law forbids. */
  closed({ source, targets }: LogEventOf<'LanesClosed'>, isThere: boolean): void {
    for (let i = 0; i < targets.length; i += 2) {
      const key = laneKey(source, { partition: targets[i]!, queue: targets[i + 1]! })
      const lane = this.#lanes.get(key)
      if (lane === undefined) continue
      lawful(!isThere, `the end of what queue ${source} sends, which is there`)
      lawful(lane.letters.length === 0, `letters of queue ${source} that are forgotten`)
      this.#forget(key, lane)
    }
    this.#firstForward++
  }

  /** Letters leave for another queue, in their order, because of the setting that they fell under or the name. */
  readdressed(
    { source, from, forwards, target, name, forward }: LogEventOf<'Readdressed'>,
    queue: LawQueue | undefined,
  ): void {
    const key = laneKey(source, from)
    const lane = this.#lanes.get(key)!
    const numbers = numbersOf(forwards)
    const moved = lane.letters.filter((letter) => numbers.includes(letter.forward))
    lawful(String(moved.map((letter) => letter.forward)) === String(numbers), 'letters that are not there')
    lawful(laneKey(source, target) !== key, 'letters that go where they were going')
    for (const { sub } of moved) {
      const set = [...(queue?.subs.values() ?? [])].find((s) => s.name === sub)?.config.deadLetter
      const isSet = set?.name === name && set.partition === target.partition && set.queue === target.queue
      lawful(
        isSet || (lane.name === name && from.partition === target.partition),
        `letters that go to "${name}"`,
      )
    }
    lane.letters = lane.letters.filter((letter) => !numbers.includes(letter.forward))
    this.enter(source, target, name, forward, moved)
    if (lane.letters.length === 0) this.#forget(key, lane)
  }

  /** What waits to arrive, by lane. */
  get waiting(): Map<string, number[]> {
    return new Map(
      [...this.#lanes].flatMap(([key, { letters }]) =>
        letters.length === 0 ? [] : [[key, letters.map(({ number }) => number)] as const],
      ),
    )
  }

  #forget(key: string, { next }: LawLane): void {
    this.#lanes.delete(key)
    this.#firstForward = Math.max(this.#firstForward, next)
  }
}
