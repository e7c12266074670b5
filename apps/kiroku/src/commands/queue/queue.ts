import type { Client } from '@kiroku/client'
import {
  batchFill,
  deliveriesPer1000,
  formatDuration,
  isReplyQueue,
  type QueueCounts,
  type QueueDescription,
  type RecentBatches,
  type TimeFigures,
  writeSetting,
} from '@kiroku/protocol'
import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import type { Output } from '../../cli/Output.ts'
import { columns } from '../../cli/columns.ts'
import { holdText } from '../../cli/holdText.ts'
import { stateTitles } from '../../cli/stateTitles.ts'
import { queueConfigOf, queueFlags, requireSetting } from '../../config/queueFlags.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'
import { subscriptionTable } from '../subscription/subscription.ts'
import { partTable } from './spread.ts'

const command = (
  act: (client: Client, queue: string, invocation: Invocation) => Promise<void>,
): CommandModule => ({
  run: (invocation) =>
    withClient(invocation, (client) => act(client, invocation.argument('queue') ?? '', invocation)),
})

/** `queue create`. */
export const create = command(async (client, queue, invocation) => {
  const { created } = await client.queues.create(queue, queueConfigOf(invocation), localActor())
  const { warnings } = await client.queues.describe(queue)
  invocation.out.line(
    created ? `queue ${queue} created` : `queue ${queue} exists already, with these settings`,
  )
  warn(invocation.out, warnings)
  invocation.out.result({ queue, created, warnings })
})

/** `queue update`. */
export const update = command(async (client, queue, invocation) => {
  const settings = requireSetting(queueConfigOf(invocation), 'kiroku queue update')
  await client.queues.update(queue, settings, localActor())
  const description = await client.queues.describe(queue)
  invocation.out.line(`queue ${queue} updated`)
  warn(invocation.out, description.warnings)
  invocation.out.result(description)
})

/** `queue note`. */
export const note = command(async (client, queue, { argument, out }) => {
  const name = argument('name') ?? ''
  const text = argument('text') ?? null
  await client.queues.update(queue, { notes: { [name]: text } }, localActor())
  out.line(text === null ? `queue ${queue} has no note ${name}` : `queue ${queue} has the note ${name}`)
  out.result({ queue, note: name, text })
})

/** `queue list`. */
export const list = command(async (client, _, { out, flag }) => {
  const { queues, missing } = await client.queues.survey()
  const { shown, replies } = flag('all') ? { shown: queues, replies: [] } : apart(queues)
  const rows = shown.map((queue) => rowOf(queue.name + mark(queue), [queue]))
  if (replies.length > 0) rows.push(rowOf(`reply queues (${replies.length})`, replies))
  const head = ['queue', ...listed.map((state) => stateTitles[state]), 'oldest']
  out.line(
    queues.length === 0 ? 'no queues; `kiroku queue create NAME` creates one' : columns([head, ...rows]),
  )
  for (const { problem } of missing) out.line(`WARNING  ${problem.message}`)
  out.result({ queues, missing })
})

/** Why nothing is delivered. */
const mark = ({ deliveryPaused, subscriptions }: QueueDescription): string => {
  if (deliveryPaused) return ' (paused)'
  return subscriptions.every(({ hold }) => hold !== undefined) ? ' (held)' : ''
}

const listed = [
  'available',
  'delayed',
  'inflight',
  'waitingRetry',
  'committed',
  'deadLettered',
  'discarded',
] as const

/** Sums queues in a row. */
const rowOf = (name: string, queues: readonly QueueDescription[]): string[] => [
  name,
  ...listed.map((state) => String(queues.reduce((sum, { counts }) => sum + counts[state], 0))),
  formatDuration(Math.round(Math.max(...queues.map(({ oldestAgeMs }) => oldestAgeMs)))),
]

/** Separates the reply queues that older clients create per requester. */
const apart = (queues: readonly QueueDescription[]) => ({
  shown: queues.filter(({ name }) => !isReplyQueue(name)),
  replies: queues.filter(({ name }) => isReplyQueue(name)),
})

/** `queue show`. */
export const show = command(async (client, queue, { out }) => {
  const description = await client.queues.describe(queue)
  out.line(columns(rowsOf(description)))
  out.line()
  out.line(
    columns(
      description.subscriptions.map(({ name, batches }) => [`batches of ${name}`, batchesText(batches)]),
    ),
  )
  out.line(`\`kiroku queue batches ${queue}\` compares other batch sizes and waits`)
  if (description.subscriptions.some(({ name }) => name !== 'main')) {
    out.line()
    out.line(subscriptionTable(description.subscriptions))
  }
  const consumers = consumerRows(description)
  if (consumers.length > 0) {
    out.line()
    out.line(columns([['consumer', 'subscription', 'in flight', 'waiting receives', 'for'], ...consumers]))
  }
  if (description.spread !== undefined) {
    out.line()
    out.line(partTable(description.spread.parts))
  }
  warn(out, description.warnings)
  out.result(description)
})

/** Consumers that wait for messages or hold some. */
const consumerRows = ({ subscriptions }: QueueDescription): string[][] =>
  subscriptions.flatMap(({ name: subscription, consumers = [] }) =>
    consumers.map(({ name, inflight, waitingPolls, since }) => [
      name,
      subscription,
      String(inflight),
      String(waitingPolls),
      since === undefined
        ? ''
        : formatDuration(Math.max(0, Math.round((Date.now() - since) / 1_000) * 1_000)),
    ]),
  )

const warn = (out: Output, warnings: readonly string[]): void => {
  for (const warning of warnings) out.line(`WARNING  ${warning}`)
}

const rowsOf = ({
  name,
  partition,
  queue,
  config,
  deliveryPaused,
  counts,
  ...rest
}: QueueDescription): string[][] => [
  ['name', name],
  ['partition', `${partition} (queue id ${queue})`],
  ['deliveries', deliveriesText(deliveryPaused, rest.subscriptions)],
  ['oldest', formatDuration(Math.round(rest.oldestAgeMs))],
  ['waiting receives', String(rest.waitingPolls)],
  ['wait (last minute)', timesText(rest.times?.waiting)],
  ['work (last minute)', timesText(rest.times?.processing)],
  ...Object.entries(counts).map(([state, count]) => [stateTitles[state as keyof QueueCounts], String(count)]),
  ...queueFlags.map(({ key, flag, row }) => [`--${flag}`, writeSetting(row, config[key])]),
  ['applied from', Object.keys(rest.applied).join(', ') || 'no file'],
  ['created', whenText(rest.createdAt, 'not known')],
  ['changed', whenText(rest.configuredAt, 'not known')],
  ['purged', whenText(rest.purgedAt, rest.createdAt === undefined ? 'not known' : 'never')],
  ...Object.entries(rest.notes ?? {}).map(([name, text]) => [`note ${name}`, JSON.stringify(text)]),
]

const whenText = (at: number | undefined, otherwise: string): string =>
  at === undefined ? otherwise : new Date(at).toISOString()

const deliveriesText = (isPaused: boolean, subscriptions: QueueDescription['subscriptions']): string => {
  if (isPaused) return 'paused'
  const [main] = subscriptions
  return subscriptions.length === 1 && main?.hold !== undefined ? holdText(main.hold) : 'on'
}

const timesText = (figures: TimeFigures | undefined): string =>
  figures === undefined
    ? 'no data'
    : `p50 ${formatDuration(figures.p50Ms)}, p99 ${formatDuration(figures.p99Ms)}, of ${figures.count} messages`

const batchesText = (batches: RecentBatches | undefined): string =>
  batches === undefined
    ? 'nothing lately'
    : `${batchFill(batches).toFixed(1)} messages of ${batches.messagesMax} asked for, ${deliveriesPer1000(batches).toFixed(0)} invocations per 1,000 messages, waited to fill ${timesText(batches.waited)}`

type Act = 'delete' | 'purge' | 'pause' | 'resume'

/** `queue delete`, `purge`, `pause` and `resume`. */
export const queueAct = (act: Act): CommandModule =>
  command(async (client, queue, invocation) => {
    const { out } = invocation
    const done = { delete: 'deleted', purge: 'purged', pause: 'paused', resume: 'resumed' }[act]
    const outcome =
      act === 'delete'
        ? await client.queues.delete(queue, { force: invocation.flag('force') }, localActor())
        : await client.queues[act](queue, localActor())
    out.line(`queue ${queue} ${done}${outcome === undefined ? '' : `: ${outcome.purged} messages discarded`}`)
    out.result({ queue, done, ...outcome })
  })
