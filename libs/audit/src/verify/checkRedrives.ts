import { resetCell } from '@kiroku/message'
import { availableAmong, loadCell } from '@kiroku/partition'
import { intersectRanges, type LogEventOf, rangesInOrder, rangeTotal, type Redrive } from '@kiroku/protocol'
import { nameOf, refuse, type LawScope } from './LawScope.ts'
import { entersLane } from './checkLanes.ts'
import { machineEvents } from './machineEvents.ts'

const { discard } = machineEvents

export const checkRedriveStarted = (law: LawScope, e: LogEventOf<'RedriveStarted'>): void => {
  const queue = law.queue(e.queue)
  law.sub(e)
  if (e.task !== queue.nextRedrive) refuse(`redrive ${e.task} comes where ${queue.nextRedrive} is next`)
  if (e.upTo >= queue.nextNumber) refuse(`a redrive up to ${e.upTo} is not one of what was sent`)
  if (e.selection !== undefined && (e.selection.length === 0 || !rangesInOrder(e.selection)))
    refuse(`redrive ${e.task} does not select messages in their order`)
  const running = queue.redrives.find((r) => r.sub === e.sub && r.state === 'running')
  if (running !== undefined) refuse(`redrive ${e.task} begins while ${running.task} is not done`)
}

/** The task that a fact names; it must be running. */
export const runningRedrive = (law: LawScope, e: LogEventOf<'Redriven' | 'RedriveEnded'>): Redrive => {
  const found = law.queue(e.queue).redrives.find((r) => r.task === e.task && r.sub === e.sub)
  if (found?.state !== 'running') return refuse(`redrive ${e.task} of queue ${e.queue} is not running`)
  return found
}

export const checkRedriven = (law: LawScope, e: LogEventOf<'Redriven'>): void => {
  const { state } = law
  const { to, upTo, moved, messagesMax, selection } = runningRedrive(law, e)
  const sub = law.sub(e)
  const { numbers, target } = e
  const isSource = target.partition === state.partition && target.queue === e.queue
  // A queue that was created again has the same name, but another id.
  if (isSource || (to !== 'origin' && (to.partition !== target.partition || to.name !== e.name)))
    refuse(`redrive ${e.task} does not go to queue ${target.queue} of partition ${target.partition}`)
  if (!rangesInOrder(numbers)) refuse(`redrive ${e.task} does not name messages in their order`)
  if (numbers.at(-2)! + numbers.at(-1)! - 1 > upTo) refuse(`redrive ${e.task} names a message beyond ${upTo}`)
  if (selection !== undefined && rangeTotal(intersectRanges(selection, numbers)) !== rangeTotal(numbers))
    refuse(`redrive ${e.task} moves what was not selected`)
  if (messagesMax > 0 && moved + rangeTotal(numbers) > messagesMax)
    refuse(`redrive ${e.task} moves more than ${messagesMax} messages`)
  const available = availableAmong(state, sub, numbers)
  if (available.length !== rangeTotal(numbers)) refuse(`redrive ${e.task} moves what is not available`)
  discard.reason = 'redriven'
  for (const { number, enqueuedAt } of available) {
    const slot = state.live.find(sub.index, number)
    const cell = slot < 0 ? resetCell(law.cell) : loadCell(state.live, slot, law.cell)
    if (!law.machine.step(cell, discard)) refuse(`${nameOf(e, number)} cannot be redriven`)
    if (enqueuedAt + sub.config.retentionMs <= state.at)
      refuse(`${nameOf(e, number)} is redriven after its retention`)
  }
  law.transitions += available.length
  entersLane(law, e)
}
