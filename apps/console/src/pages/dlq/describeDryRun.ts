import type { RedriveDescription, RedriveSkip } from '@kiroku/protocol'
import { count } from '../../parts/format.ts'

/** Why messages stay, by reason, after "because". */
export const stayReasons: Readonly<Record<RedriveSkip, string>> = {
  noOrigin: 'they are not dead letters and have no origin; choose a queue for them',
  originGone: 'the queue or the subscription that they came from is gone; choose another',
  originIsSource: 'the queue of this name has taken the place of their origin',
  tooOld: 'the target would discard them at once, because of their age',
  schema: 'their edited body does not fit the schema of the target',
  leased: 'in flight now',
  waiting: 'they wait for a delay or a retry',
  gone: 'they are no longer in the queue',
}

type Counts = Pick<RedriveDescription, 'moved' | 'targets' | 'skipped' | 'filtered' | 'left' | 'selected'>

/**
 * The result of a dry run in sentences: what matches, what goes where, what stays and why, what a limit
 * leaves.
 */
export interface DryRunText {
  readonly match: string
  /** Absent: none of them goes, or nothing matches. */
  readonly go?: string
  /** Empty: nothing stays. */
  readonly stay: readonly string[]
  readonly beyond?: string
}

/** Spells a dry run out. */
export const describeDryRun = ({ moved, targets, skipped, left, selected }: Counts): DryRunText => {
  const reasons = (Object.entries(skipped) as [RedriveSkip, number][]).filter(([, n]) => n > 0)
  const staying = reasons.reduce((sum, [, n]) => sum + n, 0)
  const match = selected ?? moved + staying + left
  return {
    match: match === 0 ? 'Nothing matches' : `${messages(match)} ${match === 1 ? 'matches' : 'match'}`,
    ...(moved === 0
      ? {}
      : { go: `${count(moved)} ${moved === 1 ? 'goes' : 'go'} to ${targetsText(targets)}` }),
    stay: reasons.map(([reason, n]) => `${count(n)} ${n === 1 ? 'stays' : 'stay'}: ${stayReasons[reason]}`),
    ...(left === 0 ? {} : { beyond: `${count(left)} ${left === 1 ? 'is' : 'are'} left by your limit` }),
  }
}

/** The result of a redrive, in a sentence. */
export const describeOutcome = (redrive: RedriveDescription): string => {
  const { moved, targets, skipped, left, state, note } = redrive
  const stay = Object.values(skipped).reduce((sum, n) => sum + n, 0)
  return [
    moved === 0 ? 'nothing was moved' : `${messages(moved)} moved to ${targetsText(targets)}`,
    ...(stay === 0 ? [] : [`${count(stay)} stayed`]),
    ...(left === 0 || state === 'running' ? [] : [`${count(left)} left`]),
    ...(note === '' ? [] : [note]),
  ].join(', ')
}

/** Progress of a redrive: messages it has reached, of how many. */
export const progressOf = (
  redrive: Pick<RedriveDescription, 'moved' | 'onTheWay' | 'filtered' | 'skipped' | 'left' | 'messagesMax'>,
): { readonly done: number; readonly total: number } => {
  const looked = redrive.moved + (redrive.onTheWay ?? 0) + redrive.filtered
  const done = Object.values(redrive.skipped).reduce((sum, n) => sum + n, looked)
  const total = done + redrive.left
  return { done, total: redrive.messagesMax === 0 ? total : Math.min(total, redrive.messagesMax) }
}

const targetsText = (targets: RedriveDescription['targets']): string =>
  targets.length === 1
    ? targets[0]!.queue
    : targets.map(({ queue, moved }) => `${queue} (${count(moved)})`).join(', ')

const messages = (n: number): string => `${count(n)} ${n === 1 ? 'message' : 'messages'}`
