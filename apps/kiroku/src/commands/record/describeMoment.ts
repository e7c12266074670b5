import { populationOf, type MomentMessage, type QueueMoment } from '@kiroku/audit'
import { renderPopulation } from '@kiroku/message'
import { formatDuration } from '@kiroku/protocol'
import { columns } from '../../cli/columns.ts'
import { holdText } from '../../cli/holdText.ts'
import { stateTitles, subscriptionStates } from '../../cli/stateTitles.ts'

/**
 * A queue at a moment, as text: the machine with its population, subscriptions, and the messages of the page.
 */
export const describeMoment = (moment: QueueMoment, colour: boolean): string => {
  const { queue, at, places, deliveryPaused, counts, subscriptions, messages, messagesTotal, next } = moment
  const still = deliveryPaused
    ? '  deliveries paused'
    : subscriptions.length === 1 && subscriptions[0]!.hold !== undefined
      ? `  deliveries ${holdText(subscriptions[0]!.hold)}`
      : ''
  const where = places.map(({ partition, seq }) => `${partition}/${seq}`).join(' ')
  const lines = [
    `${queue} at ${new Date(at).toISOString()}  (record ${where})${still}`,
    '',
    renderPopulation(populationOf(counts), { colour }),
    '',
    `sent ${counts.sent}, redelivered ${counts.redelivered}, oldest ${formatDuration(moment.oldestAgeMs)}`,
  ]
  if (subscriptions.length > 1) {
    const head = ['subscription', ...subscriptionStates.map((state) => stateTitles[state]), '']
    const rows = subscriptions.map(({ name, deliveryPaused: isPaused, hold, counts }) => [
      name,
      ...subscriptionStates.map((state) => String(counts[state])),
      isPaused ? 'paused' : hold === undefined ? '' : holdText(hold),
    ])
    lines.push('', columns([head, ...rows]))
  }
  if (messages.length > 0) {
    lines.push('', columns([messageHead, ...messages.map((message) => rowOf(message, at))]))
    if (next !== undefined) lines.push(`… ${messagesTotal} in all; continue with --after ${next}`)
  }
  return lines.join('\n')
}

const messageHead = ['MESSAGE', 'NUMBER', 'STATE', 'TRY', 'AGE', 'SUBSCRIPTION', '']

const rowOf = (m: MomentMessage, at: number): string[] => [
  m.messageId,
  String(m.number),
  m.state,
  String(m.attempt),
  formatDuration(Math.max(0, Math.round(at - m.enqueuedAt))),
  m.subscription ?? '',
  detailOf(m, at),
]

const detailOf = ({ dueAt, leaseUntil, group }: MomentMessage, at: number): string => {
  const parts: string[] = []
  if (dueAt !== undefined) parts.push(`due ${until(dueAt, at)}`)
  if (leaseUntil !== undefined) parts.push(`lease ${until(leaseUntil, at)}`)
  if (group !== undefined) parts.push(`group ${group}`)
  return parts.join(', ')
}

const until = (time: number, at: number): string =>
  time >= at ? `in ${formatDuration(time - at)}` : `over for ${formatDuration(at - time)}`
