import type { RedriveDescription, RedriveSkip } from '@kiroku/protocol'
import { columns } from '../../cli/columns.ts'

/** Why messages stay, by reason. */
export const skipReasons: Readonly<Record<RedriveSkip, string>> = {
  noOrigin: 'not dead letters, so they have no origin; name a queue with --to',
  originGone: 'the queue or the subscription that they came from is gone; name one with --to',
  originIsSource: 'the queue of this name has taken the place of their origin',
  tooOld: 'the target would discard them at once, because of their age',
  schema: 'their body was edited and does not fit the schema of the target',
  leased: 'in flight now',
  waiting: 'they wait for a delay or a retry',
  gone: 'they are no longer in the queue: redriven before, acknowledged or discarded',
}

/** The result of a redrive or a dry run, as text. */
export const describeRedrive = (redrive: RedriveDescription): string => {
  const { dryRun, moved, onTheWay = 0, targets, filtered, left } = redrive
  const lines = [`${headOf(redrive)}${redrive.note === '' ? '' : `: ${redrive.note}`}`]
  const would = dryRun ? 'would be moved' : 'moved'
  lines.push(`${messages(moved)} ${would}`)
  if (targets.length > 0) lines.push(columns(targets.map((t) => ['  to', t.queue, String(t.moved)])))
  if (onTheWay > 0) lines.push(`${messages(onTheWay)} on the way`)
  const stay = (count: number): string => (dryRun ? 'would stay' : count === 1 ? 'stays' : 'stay')
  for (const [reason, count] of Object.entries(redrive.skipped) as [RedriveSkip, number][])
    lines.push(`${messages(count)} ${stay(count)}: ${skipReasons[reason]}`)
  if (filtered > 0) lines.push(`${messages(filtered)} ${stay(filtered)}: the filter does not let them pass`)
  if (left > 0) lines.push(`${messages(left)} left`)
  return lines.join('\n')
}

const messages = (count: number): string => (count === 1 ? '1 message' : `${count} messages`)

const headOf = ({ dryRun, task, queue, state, subscription }: RedriveDescription): string =>
  `${dryRun ? 'dry run' : `redrive ${task}`} of ${queue}${subscription === 'main' ? '' : `:${subscription}`} ${state}`

/** Redrives in a table. */
export const redriveTable = (redrives: readonly RedriveDescription[]): string =>
  columns([
    ['redrive', 'state', 'to', 'rate', 'moved', 'left', 'filtered', 'skipped', 'started', 'by'],
    ...redrives.map((r) => [
      (r.dryRun ? 'dry run' : String(r.task)) + (r.subscription === 'main' ? '' : ` (${r.subscription})`),
      r.state,
      r.to === 'origin' ? 'origin' : r.to.name,
      r.rateMax === 0 ? '' : `${r.rateMax}/s`,
      ...[r.moved, r.left, r.filtered, skippedOf(r)].map(String),
      new Date(r.startedAt).toISOString().replace('T', ' ').slice(0, 19),
      r.by.name,
    ]),
  ])

const skippedOf = ({ skipped }: RedriveDescription): number =>
  Object.values(skipped).reduce((sum, count) => sum + count, 0)
