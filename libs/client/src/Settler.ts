import {
  ChurnMap,
  pushRange,
  type Answer,
  type Command,
  KirokuError,
  type Ranges,
  rangesInclude,
  rangeTotal,
  type Refusal,
  type SettleItem,
} from '@kiroku/protocol'
import { Lane, type Unit } from './Lane.ts'
import type { PartitionLink } from './PartitionLink.ts'
import type { Settlement } from './Settlement.ts'
import { isRetryable } from './failure.ts'
import { limits } from './limits.ts'

/** A message that was not settled, and why. */
export interface Refused {
  readonly number: number
  readonly error: Refusal['error']
}

/** A caller that waits for the results of one delivery's messages. */
interface Ticket {
  readonly item: MutableItem
  readonly numbers: Ranges
  readonly settled: (refused: readonly Refused[]) => void
  readonly failed: (error: KirokuError) => void
}

interface MutableItem extends SettleItem {
  index: number
}

/** One settling command while it gathers. */
interface Group {
  readonly settlement: Settlement
  readonly items: MutableItem[]
  readonly byDelivery: Map<string, MutableItem>
  readonly tickets: Ticket[]
  messages: number
  readonly deadlineMs: number
}

const none: readonly Refused[] = []

/** Gathers settlements of one partition: one command per kind, one item per delivery. */
export class Settler {
  readonly #link: PartitionLink
  readonly #lane: Lane
  readonly #groups: Group[] = []
  readonly #open = new ChurnMap<string, Group>()

  constructor(link: PartitionLink) {
    this.#link = link
    this.#lane = new Lane(link, limits.settleRequestsMax, () => this.#next())
  }

  /** Settles messages of one delivery; resolves with those that were refused. */
  settle(
    settlement: Settlement,
    queue: number,
    sub: number,
    delivery: number,
    numbers: Readonly<Ranges>,
  ): Promise<readonly Refused[]> {
    return new Promise((settled, failed) => {
      const key = keyOf(settlement)
      let group = this.#open.get(key)
      if (group === undefined || group.messages >= limits.settleMessagesMax) {
        const { clock, requestTimeoutMs } = this.#link.context
        const deadlineMs = clock.now() + requestTimeoutMs
        group = { settlement, items: [], byDelivery: new Map(), tickets: [], messages: 0, deadlineMs }
        this.#open.set(key, group)
        this.#groups.push(group)
      }
      const item = itemOf(group, queue, sub, delivery)
      for (let i = 0; i < numbers.length; i += 2) pushRange(item.numbers, numbers[i]!, numbers[i + 1]!)
      group.messages += rangeTotal(numbers)
      group.tickets.push({ item, numbers: numbers as Ranges, settled, failed })
      this.#lane.wake()
    })
  }

  /** Resolves when everything so far is settled or given up. */
  drained(): Promise<void> {
    return this.#lane.idle()
  }

  /** Fails what is left and stops repeating. */
  close(): void {
    const error = new KirokuError('Stopped', 'The client was closed before this was settled')
    this.#open.clear()
    for (const group of this.#groups.splice(0)) for (const ticket of group.tickets) ticket.failed(error)
    this.#lane.close()
  }

  #next(): Unit | undefined {
    const group = this.#groups.shift()
    if (group === undefined) return undefined
    const key = keyOf(group.settlement)
    if (this.#open.get(key) === group) this.#open.delete(key)
    return this.#unit(group)
  }

  #unit(group: Group): Unit {
    const { settlement, tickets } = group
    const command = commandOf(settlement, group.items)
    const unit: Unit = {
      command: () => command,
      messages: group.messages,
      bytes: group.items.length * 32,
      deadlineMs: group.deadlineMs,
      doubt: false,
      order: 0,
      requests: 0,
      done: (ok) => {
        const refusals = refusalsOf(ok, settlement, unit.doubt)
        for (const ticket of tickets)
          ticket.settled(refusals.length === 0 ? none : matching(ticket, refusals))
      },
      failed: (error) => {
        if (tickets.length > 1 && !isRetryable(error)) return this.#split(group)
        for (const ticket of tickets) ticket.failed(error)
      },
    }
    return unit
  }

  /** Settles a refused batch again, one by one, so that only the bad one fails. */
  #split(group: Group): void {
    const { settlement, deadlineMs } = group
    for (const ticket of group.tickets) {
      const item: MutableItem = { ...ticket.item, numbers: [...ticket.numbers], index: 0 }
      this.#groups.push({
        settlement,
        items: [item],
        byDelivery: new Map(),
        tickets: [{ ...ticket, item }],
        messages: rangeTotal(ticket.numbers),
        deadlineMs,
      })
    }
  }
}

const keyOf = (s: Settlement): string => {
  switch (s.type) {
    case 'Retry':
      return `Retry ${s.delayMs ?? ''} ${s.error ?? ''}`
    case 'Extend':
      return `Extend ${s.leaseMs}`
    case 'Release':
      return `Release ${s.delayMs ?? ''} ${s.holdSubscription ?? ''} ${s.error ?? ''}`
    case 'DeadLetter':
      return `DeadLetter ${s.error ?? ''}`
    case 'Ack':
      return s.type
  }
}

const itemOf = (group: Group, queue: number, sub: number, delivery: number): MutableItem => {
  const last = group.items.at(-1)
  if (last !== undefined && last.delivery === delivery && last.queue === queue && last.sub === sub)
    return last
  const key = `${queue} ${sub} ${delivery}`
  let item = group.byDelivery.get(key)
  if (item === undefined) {
    item = { queue, sub, delivery, numbers: [], index: group.items.length }
    group.byDelivery.set(key, item)
    group.items.push(item)
  }
  return item
}

const commandOf = (s: Settlement, indexed: readonly MutableItem[]): Command => {
  const items = indexed.map(({ queue, sub, delivery, numbers }) => ({ queue, sub, delivery, numbers }))
  switch (s.type) {
    case 'Retry':
      return {
        type: 'Retry',
        items,
        ...(s.delayMs === undefined ? {} : { delayMs: s.delayMs }),
        ...(s.error === undefined ? {} : { error: s.error }),
      }
    case 'Extend':
      return { type: 'Extend', items, leaseMs: s.leaseMs }
    case 'Release':
      return {
        type: 'Release',
        items,
        ...(s.delayMs === undefined ? {} : { delayMs: s.delayMs }),
        ...(s.error === undefined ? {} : { error: s.error }),
        ...(s.holdSubscription === undefined ? {} : { holdSubscription: s.holdSubscription }),
      }
    case 'DeadLetter':
      return { type: 'DeadLetter', items, ...(s.error === undefined ? {} : { error: s.error }) }
    case 'Ack':
      return { type: s.type, items }
  }
}

const refusalsOf = (
  ok: NonNullable<Answer['ok']>,
  settlement: Settlement,
  doubt: boolean,
): readonly Refusal[] => {
  const { refused } = ok as { readonly refused: readonly Refusal[] }
  if (!doubt || settlement.type === 'Extend') return refused
  // An earlier try may have settled it already; then the partition no longer knows the receipt, or the
  // message has moved on.
  return refused.filter(
    ({ error }) => error !== 'UnknownReceipt' && (error !== 'ReceiptExpired' || settlement.type === 'Ack'),
  )
}

const matching = (ticket: Ticket, refusals: readonly Refusal[]): readonly Refused[] =>
  refusals.filter((each) => each.item === ticket.item.index && rangesInclude(ticket.numbers, each.number))
