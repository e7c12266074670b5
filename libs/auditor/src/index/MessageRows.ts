import { type PartitionState, type QueueState, type Subscription } from '@kiroku/partition'
import { type LogEventOf, type MessageChange, type MessageEnd, runNumbers, State } from '@kiroku/protocol'
import type { PartitionRows } from './PartitionRows.ts'
import type { Row } from './Row.ts'
import { passedBefore, passedText } from './passedText.ts'

/** Rows of messages as events change them: one per message and subscription. */
export class MessageRows {
  /** Changes of messages so far. */
  changes: number
  readonly #rows: PartitionRows

  constructor(rows: PartitionRows, changes: number) {
    this.#rows = rows
    this.changes = changes
  }

  /** Adds messages that arrive. Returns the rows of each, in order. */
  arrived(e: LogEventOf<'Enqueued' | 'ForwardReceived'>, seq: number, state: PartitionState): Row[][] {
    const { writer } = this.#rows
    const { texts } = writer
    const { queue, first, count, filteredBy } = e
    const { at } = state
    this.#rows.touch(queue, [first, count], seq)
    this.changes += count
    const group = texts.text(e.group ?? '')
    const tag = texts.text(e.tag ?? '')
    const producer = e.type === 'Enqueued' ? texts.text(e.producer) : null
    const arrival = e.type === 'Enqueued' && e.dueAt > 0 ? State.Delayed : State.Available
    if (e.type === 'ForwardReceived') writer.forward(this.#rows.queue(queue), e.from, e.forward, count, first)
    // Its envelope may say more.
    const passed = e.type === 'Enqueued' ? null : texts.text(passedText({ queues: [e.from], isWhole: false }))
    const streams = state.queues.get(queue)!.subs.map((sub) => ({
      stream: this.#rows.stream(queue, sub.id, sub.name),
      isFiltered: filteredBy?.includes(sub.id) === true,
    }))
    const added: Row[][] = []
    for (let n = first; n < first + count; n++) {
      const rows: Row[] = []
      for (const { stream, isFiltered } of streams) {
        const row = writer.add(stream, n)
        row.state = isFiltered ? State.Discarded : arrival
        if (isFiltered) row.reason = texts.text('filtered')
        row.at = at
        row.seq = seq
        row.sentAt = at
        row.sentSeq = seq
        row.group = group
        row.tag = tag
        row.producer = producer
        row.passed = passed
        rows.push(row)
      }
      added.push(rows)
    }
    return added
  }

  /** Adds messages of the past that a subscription got. */
  restored(e: LogEventOf<'RunsRestored'>, seq: number, state: PartitionState): void {
    const { writer } = this.#rows
    const { texts } = writer
    const stream = this.#rows.stream(e.queue, e.sub, state.subscriptionOf(e.queue, e.sub)?.name ?? '')
    const { runs, filtered = [], groups } = e
    const passed = texts.text(passedBefore(state, e.queue))
    for (let i = 0; i < runs.length; i += runNumbers) {
      const [first, count, sentSeq, , sentAt] = runs.slice(i, i + runNumbers) as [
        number,
        number,
        number,
        number,
        number,
      ]
      this.#rows.touch(e.queue, [first, count], seq)
      const group = texts.text(groups?.[i / runNumbers] ?? '')
      for (let n = first; n < first + count; n++) {
        const row = this.#stamped(writer.add(stream, n), seq, state)
        row.sentAt = sentAt
        row.sentSeq = sentSeq
        row.group = group
        row.passed = passed
      }
    }
    this.#rows.touch(e.queue, filtered, seq)
    for (let i = 0; i < filtered.length; i += 2)
      for (let n = filtered[i]!, end = n + filtered[i + 1]!; n < end; n++) {
        const row = this.#stamped(writer.add(stream, n), seq, state)
        row.state = State.Discarded
        row.reason = texts.text('filtered')
        row.passed = passed
      }
  }

  /** Changes messages that an event names. */
  changed(queue: number, change: MessageChange, seq: number, state: PartitionState): void {
    const { numbers, from, to, sub } = change
    this.#rows.touch(queue, numbers, seq)
    if (to === undefined) return
    if (sub === undefined) return this.#underAll(queue, change, State[to], seq, state)
    if (from !== to) this.#underOne(state.subscriptionOf(queue, sub), change, State[to], seq, state)
  }

  /** Ends messages that an event does not name. */
  ended(queue: QueueState | undefined, { below, sub }: MessageEnd, seq: number, state: PartitionState): void {
    for (const each of queue?.subs ?? []) {
      if (sub !== undefined && sub !== each.id && sub !== each.name) continue
      const stream = this.#rows.stream(each.queue.id, each.id, each.name)
      this.#rows.writer.endAll(stream, below, 'purged', state.at, seq)
    }
  }

  #underOne(
    sub: Subscription | undefined,
    { numbers, attempts = 0, target, detail }: MessageChange,
    to: State,
    seq: number,
    { live, at }: PartitionState,
  ): void {
    if (sub === undefined) return
    const { writer } = this.#rows
    const { texts } = writer
    const stream = this.#rows.stream(sub.queue.id, sub.id, sub.name)
    const consumer = detail.consumer === undefined ? null : texts.text(detail.consumer)
    const error = detail.error === undefined ? null : texts.error(detail.error)
    const why = to === State.DLQ ? detail.cause : detail.reason
    const reason = why === undefined ? null : texts.text(why)
    let forward = target?.forward ?? 0
    for (let i = 0; i < numbers.length; i += 2)
      for (let n = numbers[i]!, end = n + numbers[i + 1]!; n < end; n++) {
        let row = writer.pending(stream, n)
        if (row === undefined) {
          row = writer.change(stream, n)
          const slot = live.find(sub.index, n)
          row.attempt = slot < 0 ? 0 : live.attempt[slot]!
        }
        row.state = to
        row.attempt += attempts
        row.at = at
        row.seq = seq
        row.reason = reason
        if (consumer !== null) row.consumer = consumer
        if (error !== null) row.error = error
        if (target !== undefined) row.next = `${target.partition}/${target.queue}/${forward++}`
        this.changes++
      }
  }

  /** Calls for every subscription that they are for. */
  #underAll(
    queue: number,
    { numbers, filteredBy, detail }: MessageChange,
    to: State,
    seq: number,
    state: PartitionState,
  ): void {
    const { writer } = this.#rows
    for (const sub of state.queues.get(queue)?.subs ?? []) {
      const stream = this.#rows.stream(queue, sub.id, sub.name)
      const isFiltered = filteredBy?.includes(sub.id) === true
      const reason = isFiltered ? 'filtered' : detail.reason
      for (let i = 0; i < numbers.length; i += 2)
        for (let n = Math.max(numbers[i]!, sub.from), end = numbers[i]! + numbers[i + 1]!; n < end; n++) {
          const row = this.#stamped(writer.pending(stream, n) ?? writer.change(stream, n), seq, state)
          row.state = isFiltered ? State.Discarded : to
          row.reason = reason === undefined ? null : writer.texts.text(reason)
        }
    }
  }

  #stamped(row: Row, seq: number, { at }: PartitionState): Row {
    row.at = at
    row.seq = seq
    this.changes++
    return row
  }
}
