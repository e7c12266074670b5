import type { ActorState } from '@kiroku/engine'
import type { Stored } from '../world/Stored.ts'
import type { Hurt, World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * A partition is closed only when it was hurt; and no owner continues after a damaged record that had to be
 * read to rebuild the state, nor behind an end that is missing by the note of its machine: the partition is
 * closed until it is repaired. A node that read the record while it was whole, as the standby of the partition, need not
 * read it again; what it reads of it later, for a body or on a look at the end of the log, does not change its state.
 */
export class DamageChecker implements Checker {
  readonly name = 'damage'
  readonly #world: World
  /** Records that a node read while its partition was whole, by partition and node; their last sequence. */
  readonly #wholeUpTo = new Map<string, number>()
  /** Ownerships that read their state from the log just now, by partition and node. */
  readonly #recovering = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  turned(partition: number, node: string, state: ActorState, reason: string): void {
    const key = `${partition} ${node}`
    if (state === 'Recovering') this.#recovering.add(key)
    else this.#recovering.delete(key)
    if (state !== 'Quarantined' || this.#world.hurts.has(partition)) return
    throw new Objection(this.name, `${node} closes partition ${partition}, which nothing hurt: ${reason}`)
  }

  fetched(partition: number, seq: number, node: string): void {
    const key = `${partition} ${node}`
    const hurt = this.#world.hurts.get(partition)
    if (hurt === undefined || hurt.kind === 'cured')
      this.#wholeUpTo.set(key, Math.max(seq, this.#wholeUpTo.get(key) ?? 0))
    // Its state rests on the damaged record from now on.
    else if (seq === hurt.seq && this.#recovering.has(key)) this.#wholeUpTo.delete(key)
  }

  storing(frame: Stored): void {
    const { partition, seq, node, record } = frame
    const hurt = this.#world.hurts.get(partition)
    if (hurt?.kind === 'tail') return this.#heir(frame, hurt)
    if (hurt?.kind !== 'damage') return
    const repaired = record.events.find((e) => e.type === 'Repaired')
    if (repaired !== undefined && repaired.from <= hurt.seq && hurt.seq <= repaired.upTo) {
      this.#world.hurts.set(partition, { ...hurt, kind: 'cured' })
      return
    }
    const began = record.events.find((e) => e.type === 'ClockResumed')
    if (began === undefined || seq < hurt.seq) return
    const { firstSeq, checkpoints } = this.#world.log.faults.stored(partition)
    const isRead = hurt.seq >= firstSeq && !checkpoints.some((c) => c >= hurt.seq && c < seq)
    // The fence of an ownership that began before is not behind the damage.
    const begun = this.#world.truth.frames[partition]!.findLast(({ record: r }) =>
      r.events.some((e) => e.type === 'OwnerChanged' && e.part === 1),
    )
    const wasRead = (this.#wholeUpTo.get(`${partition} ${node}`) ?? 0) >= hurt.seq
    if (isRead && !wasRead && begun !== undefined && begun.storedMs > hurt.atMs)
      throw new Objection(
        this.name,
        `partition ${partition} goes on at ${seq} although record ${hurt.seq} is damaged`,
      )
  }

  /** The first to begin behind a lost end, on the machine that noted more, must have noticed. */
  #heir({ partition, seq, node, record }: Stored, hurt: Hurt): void {
    const { heir, notedSeq = 0, seq: lostFrom } = hurt
    if (record.events.some((e) => e.type === 'Repaired') || (node !== heir && node !== 'nobody'))
      return void this.#world.hurts.set(partition, { kind: 'tail', seq: lostFrom, atMs: hurt.atMs })
    if (heir !== undefined && notedSeq >= lostFrom && record.events.some((e) => e.type === 'ClockResumed'))
      throw new Objection(
        this.name,
        `${node} goes on at ${seq} of partition ${partition}, of which its machine noted ${notedSeq} and ${lostFrom} was lost`,
      )
  }
}
