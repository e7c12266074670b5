import type { History } from '@kiroku/audit'
import { actWords } from '@kiroku/audit/event-words'
import { clock, count, time } from '../parts/format.ts'
import type { TimeWindow } from './timeWindow.ts'
import styles from './MomentTip.module.css'

/** How near an act must be to be listed, as a share of the window. */
const nearShare = 0.005
const actsMax = 3

const counted = [
  ['sent', 'sent'],
  ['committed', 'done'],
  ['failed', 'failed'],
  ['deadLettered', 'dead-lettered'],
  ['discarded', 'discarded'],
] as const

/** What happened around a moment, in words. */
export const happenedAround = ({ buckets, bucketMs, from, known }: History, at: number): string => {
  if (at > known.to) return 'not read yet'
  if (at < known.from) return 'no longer on record'
  const begin = from + Math.floor((at - from) / bucketMs) * bucketMs
  const bucket = buckets.find((each) => each.at === begin)
  const words = counted.flatMap(([field, word]) => {
    const n = bucket?.[field] ?? 0
    return n === 0 ? [] : [`${count(n)} ${word}`]
  })
  return words.length === 0 ? 'nothing happened' : words.join(' · ')
}

/** The moment under the pointer: when, and what happened around it. */
export const MomentTip = ({
  at,
  history,
  window: { from, to },
}: {
  readonly at: number
  readonly history: History | undefined
  readonly window: TimeWindow
}) => {
  const nearMs = (to - from) * nearShare
  const acts = history?.acts.filter((act) => Math.abs(act.at - at) <= nearMs) ?? []
  return (
    <div className={styles['tip']}>
      <strong>
        {time(at)}
        {(to - from) / 1_000 < msBelow ? clock(at).slice(8) : ''}
      </strong>
      {history !== undefined && <span>{happenedAround(history, at)}</span>}
      {acts.slice(0, actsMax).map(({ partition, seq, event, queue, by }) => (
        <span key={`${partition}/${seq} ${event}`}>
          ◆ {by.name} {actWords(event)} {queue}
        </span>
      ))}
      {acts.length > actsMax && <span>and {count(acts.length - actsMax)} more acts</span>}
    </div>
  )
}

/** Below this length of the window, in seconds, a pixel stands for less than a second. */
const msBelow = 600
