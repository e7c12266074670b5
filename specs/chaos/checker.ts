import type { LogEvent, LogEventOf, Ranges } from '@kiroku/protocol'
import type { History, Place, StoredFrame } from './History.ts'
import { each, fate, Ledger, unreadable, type Fate } from './Ledger.ts'

/** What may be found wrong. */
export type ViolationKind =
  /** An acknowledged send, or a dead letter, that is not where it must be. */
  | 'lost'
  /** One send, or one dead letter, that the log holds twice. */
  | 'doubled'
  /** A message whose final state changed, or that was not final after a confirmed acknowledgement. */
  | 'resurrected'
  /** A message leased while another consumer held its lease. */
  | 'leasedTwice'
  /** A message of an ordered queue that was delivered ahead of an earlier one of its group. */
  | 'outOfOrder'
  /** A message of an ordered queue that was stored behind a later send to its group by the same client. */
  | 'overtaken'
  /** Something that was visible outside and is not in the log. */
  | 'unrecorded'
  /** A frame of an owner that was no longer the owner. */
  | 'stale'
  /** A message without a final state after everything was consumed. */
  | 'unfinished'

/** One thing that must never happen, and where it did. */
export interface Violation {
  readonly kind: ViolationKind
  readonly text: string
}

/** Violations kept in words; the others are counted. */
const textsMax = 200

/**
 * Holds what the log says against what was seen outside. It knows the events and nothing of the engine: feed it
 * every frame of every partition in order, then the history that was over before the log was read.
 */
export class Checker {
  readonly violations: Violation[] = []
  readonly counts: Record<ViolationKind, number> = {
    lost: 0,
    doubled: 0,
    resurrected: 0,
    leasedTwice: 0,
    outOfOrder: 0,
    overtaken: 0,
    unrecorded: 0,
    stale: 0,
    unfinished: 0,
  }
  /** Messages that the log holds, and those of them that are final, by how. */
  readonly totals = {
    sent: 0,
    forwarded: 0,
    committed: 0,
    deadLettered: 0,
    discarded: 0,
    redriven: 0,
    erased: 0,
    edited: 0,
    deduplicated: 0,
  }
  readonly #ledgers = new Map<string, Ledger>()
  readonly #epochs = new Map<number, number>()
  /** Partitions whose present owner does not hold sends to their order. */
  readonly #lax = new Set<number>()
  readonly #ordersSends: (owner: string) => boolean
  /** Where the first copy of each label is, and of each dead letter of it. */
  readonly #labelled = new Map<number, Place>()
  readonly #deliveries = new Map<string, Ranges>()
  /** Sends that were acknowledged at the place of a message with an unreadable body. */
  readonly #acknowledged = new Map<string, number>()
  /** Messages of sends with unreadable bodies: each is an unwanted copy unless it was acknowledged. */
  readonly #sealed: string[] = []
  /** Labels of dead letters by lane and number: as they left, and as they arrived. */
  readonly #left = new Map<string, number>()
  readonly #arrived = new Map<string, number>()

  /**
   * @param ordersSends whether an owner, by its name in the record, stores what one client sent in its order; releases
   * did not always
   */
  constructor(ordersSends: (owner: string) => boolean = () => true) {
    this.#ordersSends = ordersSends
  }

  /** Takes the next frame of a partition. */
  frame(frame: StoredFrame): void {
    const { partition, seq, epoch } = frame
    const known = this.#epochs.get(partition) ?? 0
    if (epoch < known)
      this.#violation('stale', `partition ${partition}: ${seq} is of epoch ${epoch}, after one of ${known}`)
    else this.#epochs.set(partition, epoch)
    const taken = new Map<number, number>()
    for (const event of frame.events) this.#event(frame, event, taken)
  }

  /** Holds the history against the frames so far, which must reach beyond it. */
  compare({ acknowledged, deliveries, acks }: History): void {
    for (const { label, ...place } of acknowledged) {
      const found = this.#ledger(place).labelOf(place.number)
      if (found === unreadable) {
        const other = this.#acknowledged.get(at(place))
        if (other !== undefined && other !== label)
          this.#violation('lost', `sends ${other} and ${label} were both acknowledged as ${at(place)}`)
        this.#acknowledged.set(at(place), label)
      } else if (found !== label)
        this.#violation(
          'lost',
          `send ${label} was acknowledged as ${at(place)}, which holds ${found ?? 'nothing'}`,
        )
    }
    for (const { partition, queue, delivery, numbers } of deliveries) {
      const recorded = this.#deliveries.get(`${partition} ${delivery}`) ?? []
      for (const number of each(numbers))
        if (!includes(recorded, number))
          this.#violation(
            'unrecorded',
            `${at({ partition, queue, number })} was delivered by ${delivery}, which the log does not have`,
          )
    }
    for (const { partition, queue, sub, numbers } of acks)
      for (const number of each(numbers))
        if (this.#ledger({ partition, queue }).of(sub)?.isFinal(number) !== true)
          this.#violation(
            'resurrected',
            `${at({ partition, queue, number })} was acknowledged and is not final`,
          )
  }

  /** After everything was consumed: nothing may be left. */
  finish(): void {
    for (const [key, label] of this.#left) {
      const arrived = this.#arrived.get(key)
      if (arrived !== label)
        this.#violation('lost', `dead letter ${label} (${key}) arrived as ${arrived ?? 'nothing'}`)
    }
    for (const [key, label] of this.#arrived)
      if (!this.#left.has(key)) this.#violation('unrecorded', `dead letter ${label} (${key}) never left`)
    for (const ledger of this.#ledgers.values())
      for (const { sub, number } of ledger.live())
        this.#violation(
          'unfinished',
          `${at({ ...ledger, number })} (send ${ledger.labelOf(number)}) has no final state for subscription ${sub}`,
        )
    for (const place of this.#sealed)
      if (!this.#acknowledged.has(place))
        this.#violation('doubled', `${place} is stored, and no acknowledgement named it`)
  }

  #event(frame: StoredFrame, event: LogEvent, taken: Map<number, number>): void {
    const { partition } = frame
    switch (event.type) {
      case 'OwnerChanged':
        if (this.#ordersSends(event.node)) this.#lax.delete(partition)
        else this.#lax.add(partition)
        return
      case 'QueueCreated':
        this.#ledger({ partition, queue: event.queue }).isOrdered = event.config['groups'] === 'ordered'
        return
      case 'SubscriptionCreated':
        return this.#ledger({ partition, queue: event.queue }).open(event.sub)
      case 'DelayElapsed':
        return this.#filter(frame, event)
      case 'Deduplicated':
        this.totals.deduplicated += event.originals.length
        return
      case 'Enqueued':
        return this.#enqueued(frame, event, taken)
      case 'BodyEdited':
        this.totals.edited++
        return take(taken, event.queue, 1)
      case 'BodiesCarried':
        return take(taken, event.queue, count(event.numbers))
      case 'LettersCarried':
        return take(taken, event.source, count(event.forwards))
      case 'ForwardReceived':
        return this.#forwardReceived(frame, event, taken)
      case 'Delivered': {
        this.#deliveries.set(`${partition} ${event.delivery}`, event.numbers)
        const early = this.#ledger({ partition, queue: event.queue }).outOfOrder(event.sub, event.numbers)
        if (early !== undefined)
          this.#violation(
            'outOfOrder',
            `${at({ partition, queue: event.queue, number: early })} is delivered at ${frame.seq} ahead of its group`,
          )
        return this.#move(frame, event, fate.inflight)
      }
      case 'Acked':
        this.totals.committed += count(event.numbers)
        return this.#move(frame, event, fate.committed)
      case 'Discarded':
        this.totals.discarded += count(event.numbers)
        if (event.reason === 'erased') this.totals.erased += count(event.numbers)
        return this.#move(frame, event, fate.discarded)
      case 'Redriven':
        this.totals.redriven += count(event.numbers)
        this.#move(frame, event, fate.discarded)
        return this.#leave(frame, event)
      case 'DeadLettered':
        this.totals.deadLettered += count(event.numbers)
        this.#move(frame, event, fate.deadLettered)
        return this.#leave(frame, event)
      case 'Readdressed':
        return this.#readdress(frame, event)
      case 'RetryScheduled':
      case 'LeaseExpired':
      case 'Released':
      case 'RetryDue':
        return this.#move(frame, event, fate.ready)
      case 'LeaseExtended':
        return this.#move(frame, event, fate.inflight)
    }
  }

  #enqueued(frame: StoredFrame, event: LogEventOf<'Enqueued'>, taken: Map<number, number>): void {
    this.totals.sent += event.count
    for (const { label, place } of this.#enter(frame, event, taken)) {
      const before = this.#labelled.get(label)
      const ledger = this.#ledger(place)
      const later = ledger.overtakes(label, event.group, !this.#lax.has(place.partition))
      if (later !== undefined)
        this.#violation('overtaken', `send ${label} is stored as ${at(place)}, behind send ${later}`)
      if (label === unreadable) this.#sealed.push(at(place))
      else if (before === undefined) this.#labelled.set(label, place)
      else this.#violation('doubled', `send ${label} is stored as ${at(before)} and as ${at(place)}`)
    }
  }

  #forwardReceived(
    frame: StoredFrame,
    event: LogEventOf<'ForwardReceived'>,
    taken: Map<number, number>,
  ): void {
    this.totals.forwarded += event.count
    const target = { partition: frame.partition, queue: event.queue }
    let forward = event.forward
    for (const { label, place } of this.#enter(frame, event, taken)) {
      const key = lane(event.from, target, forward++)
      if (this.#arrived.has(key))
        this.#violation('doubled', `dead letter ${label} (${key}) arrived again as ${at(place)}`)
      else this.#arrived.set(key, label)
    }
  }

  #leave(
    { partition }: StoredFrame,
    { queue, numbers, target, forward }: LogEventOf<'DeadLettered'> | LogEventOf<'Redriven'>,
  ): void {
    const ledger = this.#ledger({ partition, queue })
    let next = forward
    for (const number of each(numbers)) {
      const key = lane(ledger, target, next++)
      if (this.#left.has(key)) this.#violation('doubled', `${key} left twice`)
      this.#left.set(key, ledger.labelOf(number) ?? -1)
    }
  }

  #readdress({ partition }: StoredFrame, event: LogEventOf<'Readdressed'>): void {
    const source = { partition, queue: event.source }
    let next = event.forward
    for (const forward of each(event.forwards)) {
      const key = lane(source, event.from, forward)
      const label = this.#left.get(key)
      if (label === undefined) this.#violation('lost', `${key} goes elsewhere, but never left`)
      else this.#left.set(lane(source, event.target, next), label)
      this.#left.delete(key)
      next++
    }
  }

  /** Enters messages with the labels of their bodies. */
  *#enter(
    { partition, seq, labels }: StoredFrame,
    event: LogEventOf<'Enqueued'> | LogEventOf<'ForwardReceived'>,
    taken: Map<number, number>,
  ): Iterable<{ label: number; place: Place }> {
    const { queue, first, count, group, filteredBy } = event
    const only = event.type === 'ForwardReceived' ? event.only : undefined
    const isFor = (sub: number): boolean =>
      (only === undefined || only === sub) && filteredBy?.includes(sub) !== true
    const ledger = this.#ledger({ partition, queue })
    const from = taken.get(queue) ?? 0
    take(taken, queue, count)
    for (let i = 0; i < count; i++) {
      const place = { partition, queue, number: first + i }
      const label = labels.get(queue)?.[from + i] ?? unreadable
      if (ledger.has(place.number)) this.#violation('doubled', `${at(place)} is entered again at ${seq}`)
      ledger.add(place.number, label, group, isFor)
      yield { label, place }
    }
  }

  /** Delayed messages are filtered when they are due. */
  #filter({ partition }: StoredFrame, { queue, numbers, filteredBy }: LogEventOf<'DelayElapsed'>): void {
    const ledger = this.#ledger({ partition, queue })
    for (const sub of filteredBy ?? [])
      for (const number of each(numbers)) ledger.of(sub)?.set(number, fate.discarded)
  }

  #move(
    { partition, seq }: StoredFrame,
    event: LogEvent & { queue: number; sub: number; numbers: Ranges },
    to: Fate,
  ): void {
    const ledger = this.#ledger({ partition, queue: event.queue })
    const fates = ledger.of(event.sub)
    for (const number of each(event.numbers)) {
      const where = `${at({ partition, queue: event.queue, number })} at ${seq}`
      const before = fates?.of(number) ?? fate.absent
      if (fates === undefined || before === fate.absent)
        this.#violation('lost', `${event.type} of ${where}, which never entered`)
      else if (fates.isFinal(number))
        this.#violation('resurrected', `${event.type} of ${where}, which is final`)
      else {
        if (event.type === 'Delivered' && before === fate.inflight)
          this.#violation('leasedTwice', `${where} is delivered while it is leased`)
        fates.set(number, to)
        const group = ledger.groupOf(number)
        if (group !== undefined && fates.isFinal(number)) fates.line(group).delete(number)
      }
    }
  }

  #ledger({ partition, queue }: { readonly partition: number; readonly queue: number }): Ledger {
    const key = `${partition} ${queue}`
    let ledger = this.#ledgers.get(key)
    if (ledger === undefined) this.#ledgers.set(key, (ledger = new Ledger(partition, queue)))
    return ledger
  }

  #violation(kind: ViolationKind, text: string): void {
    this.counts[kind]++
    if (this.violations.length < textsMax) this.violations.push({ kind, text })
  }
}

const at = ({ partition, queue, number }: Place): string => `message ${number} of queue ${partition}/${queue}`

const lane = (
  from: { readonly partition: number; readonly queue: number },
  to: { readonly partition: number; readonly queue: number },
  forward: number,
): string => `${from.partition}/${from.queue} to ${to.partition}/${to.queue}, forward ${forward}`

const count = (ranges: Ranges): number => {
  let total = 0
  for (let i = 1; i < ranges.length; i += 2) total += ranges[i]!
  return total
}

/** Bodies of a queue's section that an event has taken. */
const take = (taken: Map<number, number>, queue: number, count: number): void =>
  void taken.set(queue, (taken.get(queue) ?? 0) + count)

const includes = (ranges: Ranges, number: number): boolean => {
  for (let i = 0; i < ranges.length; i += 2)
    if (number >= ranges[i]! && number < ranges[i]! + ranges[i + 1]!) return true
  return false
}
