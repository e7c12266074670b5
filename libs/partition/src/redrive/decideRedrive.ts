import { type MachineEvent, step, resetCell } from '@kiroku/message'
import {
  type Actor,
  type CommandOf,
  intersectRanges,
  isDryRun,
  KirokuError,
  mainSubscription,
  pushRange,
  type QueueAddress,
  type Ranges,
  rangeTotal,
  type Redrive,
  type RedriveDescription,
  type RedriveSkip,
  State,
} from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { lettersOf } from '../forward/describeOutbox.ts'
import { homeSubscription, namedQueue, namedSubscription } from '../lookup.ts'
import { orRefuse } from '../orRefuse.ts'
import type { Ownership } from '../ownership/Ownership.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { availableAmong, type AvailableMessage } from '../store/available.ts'
import { loadCell } from '../store/loadCell.ts'
import { checkRedrive, checkSelection } from './checkRedrive.ts'
import { addTarget, begun } from './redriveRecord.ts'

/** Begins to move messages; the owner goes on with it beside its other work. */
export const decideStartRedrive = <B>(turn: Turn<B>, c: CommandOf<'StartRedrive'>, token: number): void =>
  orRefuse(turn, token, () => {
    const isPart = c.part === true
    const find = isPart ? namedSubscription : homeSubscription
    const sub = find(turn, c.queue, c.subscription ?? mainSubscription, token)
    if (sub === undefined) return
    const { state, own, now } = turn
    const { queue } = sub
    if (!isPart && queue.spread !== undefined && queue.spread.parts.length > 0)
      throw new KirokuError(
        'InvalidArgument',
        `queue "${c.queue}" is spread over partitions, and only all of its messages can be redriven; to select some, bring it together with \`kiroku queue spread ${c.queue} --partitions 1\` first`,
      )
    const filter = checkRedrive(c)
    // The parts of a queue have ids of their own.
    if (c.to !== 'origin' && (isAt(c.to, state.partition, queue.id) || (isPart && c.to.name === c.queue)))
      throw new KirokuError('InvalidArgument', `queue "${c.queue}" cannot be redriven to itself`)
    const known = [...queue.redrives, ...own.dryRuns.of(queue)].find((r) => r.request === c.request)
    if (known !== undefined) return turn.ok(token, { redrive: describeRedrive(turn.own, queue, known) })
    const asked = {
      request: c.request,
      queue: queue.id,
      sub: sub.id,
      to: c.to,
      filter,
      ...(c.selection === undefined ? {} : { selection: checkSelection(c.selection, c.dryRun === true) }),
      rateMax: c.rateMax ?? 0,
      messagesMax: c.messagesMax ?? 0,
      upTo: queue.nextNumber - 1,
      by: c.by,
    }
    if (c.dryRun === true) {
      const redrive = {
        ...asked,
        task: 0,
        subscription: sub.name,
        startedAt: now,
        ...begun(sub.deliverable, asked.selection),
      }
      own.dryRuns.begin(queue, redrive)
      return turn.ok(token, { redrive: describeRedrive(turn.own, queue, redrive) })
    }
    const running = runningOf(queue, sub)
    if (running !== undefined)
      throw new KirokuError('RedriveRunning', `redrive ${running.task} of queue "${c.queue}" is not done yet`)
    turn.emit({
      type: 'RedriveStarted',
      ...asked,
      task: queue.nextRedrive,
      filter: { ...filter },
    })
    turn.ok(token, { redrive: describeRedrive(turn.own, queue, queue.redrives.at(-1)!) })
  })

const isAt = (address: QueueAddress, partition: number, queue: number): boolean =>
  address.partition === partition && address.queue === queue

const runningOf = (queue: QueueState, sub: Subscription): Redrive | undefined =>
  queue.redrives.find((r) => r.sub === sub.id && r.state === 'running')

/** Ends a redrive; what was moved stays moved. */
export const decideCancelRedrive = <B>(turn: Turn<B>, c: CommandOf<'CancelRedrive'>, token: number): void => {
  const sub = namedSubscription(turn, c.queue, c.subscription ?? mainSubscription, token)
  if (sub === undefined) return
  const { queue } = sub
  const redrive =
    c.task === undefined
      ? (runningOf(queue, sub) ??
        turn.own.dryRuns.of(queue).findLast((r) => r.sub === sub.id && r.state === 'running'))
      : queue.redrives.find((r) => r.task === c.task && r.sub === sub.id)
  if (redrive === undefined)
    return turn.refuse(
      token,
      new KirokuError(
        'UnknownRedrive',
        c.task === undefined
          ? `no redrive of queue "${c.queue}" is running`
          : `queue "${c.queue}" has no redrive ${c.task}`,
      ),
    )
  if (redrive.state === 'running') end(turn, redrive, 'cancelled', '', c.by)
  turn.ok(token, { redrive: describeRedrive(turn.own, queue, redrive) })
}

/** Describes the redrives of a queue. */
export const decideDescribeRedrives = <B>(
  turn: Turn<B>,
  c: CommandOf<'DescribeRedrives'>,
  token: number,
): void => {
  const queue = namedQueue(turn, c.queue, token)
  if (queue === undefined) return
  const all = [...queue.redrives, ...turn.own.dryRuns.of(queue)].sort(
    (a, b) => b.startedAt - a.startedAt || b.task - a.task,
  )
  turn.ok(token, { redrives: all.map((r) => describeRedrive(turn.own, queue, r)) })
}

const describeRedrive = (own: Ownership, queue: QueueState, redrive: Redrive): RedriveDescription => {
  const { queue: _queue, sub: _sub, request, upTo: _upTo, selection: _selection, ...rest } = redrive
  const leaving = lettersOf(own, redrive)
  const onTheWay = leaving.reduce((sum, { messages }) => sum + messages, 0)
  return {
    ...rest,
    ...(queue.spread === undefined && queue.place === undefined ? undefined : { request }),
    queue: queue.name,
    dryRun: isDryRun(redrive),
    moved: redrive.moved - onTheWay,
    onTheWay,
    skipped: { ...redrive.skipped },
    targets: redrive.targets.map(({ queue: name, moved }) => ({
      queue: name,
      moved: leaving.reduce((left, lane) => (lane.to === name ? left - lane.messages : left), moved),
    })),
  }
}

/** Messages that go to one place. */
export interface RedriveMove {
  readonly target: { readonly partition: number; readonly queue: number; readonly name: string }
  /** The only subscription that they are for there; absent: all. */
  readonly only?: string
  /** In their order. */
  readonly numbers: Ranges
}

/** What the owner found out about some of a redrive's messages. */
export interface RedriveStep {
  readonly moves: readonly RedriveMove[]
  readonly skipped: Partial<Record<RedriveSkip, number>>
  readonly filtered: number
  /** Messages that it has not looked at yet. */
  readonly left: number
  /** Whether it is over with this. */
  readonly ended?: { readonly outcome: 'completed' | 'failed'; readonly note: string }
}

const discard: Extract<MachineEvent, { type: 'DISCARD' }> = { type: 'DISCARD', reason: 'redriven' }

/** Moves messages that are still available, and notes how far the redrive is; does nothing when that is over. */
export const decideRedrive = <B>(turn: Turn<B>, redrive: Redrive, found: RedriveStep): void => {
  const { state, own } = turn
  const sub = state.subscriptionOf(redrive.queue, redrive.sub)
  if (sub === undefined || !own.isRunning(redrive)) return
  for (const move of found.moves) {
    const { selection } = redrive
    const named = selection === undefined ? move.numbers : intersectRanges(move.numbers, selection)
    const numbers = movable(turn, sub, availableAmong(state, sub, named))
    if (numbers.length === 0) continue
    const { name, partition, queue } = move.target
    const target = { partition, queue }
    if (isDryRun(redrive)) addTarget(redrive, name, rangeTotal(numbers))
    else
      turn.emit({
        type: 'Redriven',
        queue: redrive.queue,
        sub: redrive.sub,
        task: redrive.task,
        numbers,
        target,
        name,
        ...(move.only === undefined ? undefined : { only: move.only }),
        forward: state.lane(redrive.queue, target)?.next ?? state.firstForward,
      })
  }
  for (const [reason, n] of Object.entries(found.skipped) as [RedriveSkip, number][])
    redrive.skipped[reason] = (redrive.skipped[reason] ?? 0) + n
  redrive.filtered += found.filtered
  redrive.left = found.left
  if (found.ended !== undefined) end(turn, redrive, found.ended.outcome, found.ended.note)
}

/** Those that the law lets go now; what outlived its retention is discarded for that. */
const movable = <B>(turn: Turn<B>, sub: Subscription, messages: readonly AvailableMessage[]): Ranges => {
  const { live } = turn.state
  const numbers: Ranges = []
  for (const { number, enqueuedAt } of messages) {
    if (enqueuedAt + sub.config.retentionMs <= turn.now) continue
    const slot = live.find(sub.index, number)
    const cell = slot < 0 ? resetCell(turn.cell) : loadCell(live, slot, turn.cell)
    if (step(cell, discard) && cell.state === State.Discarded) pushRange(numbers, number, 1)
  }
  return numbers
}

const end = <B>(
  turn: Turn<B>,
  redrive: Redrive,
  outcome: Exclude<Redrive['state'], 'running'>,
  note: string,
  by?: Actor,
): void => {
  if (isDryRun(redrive)) {
    redrive.state = outcome
    redrive.endedAt = turn.now
    redrive.note = note
    turn.own.dryRuns.running.delete(redrive)
    return
  }
  const { queue, sub, task, skipped, filtered, left } = redrive
  turn.emit({
    type: 'RedriveEnded',
    queue,
    sub,
    task,
    outcome,
    skipped: { ...skipped },
    filtered,
    left,
    note,
    ...(by === undefined ? undefined : { by }),
  })
}
