import { formatDuration, type PartitionDescription, type QueueDescription } from '@kiroku/protocol'
import type { QueueSurvey } from '@kiroku/client'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { holdText } from '../../cli/holdText.ts'
import { stateTitles } from '../../cli/stateTitles.ts'
import { isRunning, readRunFile } from '../../serve/RunFile.ts'
import { describeCluster, type ClusterPartition } from '../../serve/describeCluster.ts'
import { partitionTroubles } from '../../serve/partitionTroubles.ts'
import { tellOutage } from '../../serve/tellOutage.ts'
import { lookOptions, withClient } from '../../serve/withClient.ts'
import { within } from '../../serve/within.ts'

/** How long the owners may take to list their queues, in ms, and how much longer for each queue that they have. */
const surveyMs = 2_000
const surveyMsPerQueue = 1

type Survey = QueueSurvey & { readonly isLate?: boolean }
const noQueues: Survey = { queues: [], missing: [] }
const lateQueues: Survey = { ...noQueues, isLate: true }

/** Most queues on the screen, those with the most open messages first; `queue list` has all. */
const queuesMax = 15

export const run = (invocation: Invocation): Promise<void> =>
  withClient(
    invocation,
    async (client, { nats, log }) => {
      const { out } = invocation
      const { nodes, partitions, outage } = await describeCluster(nats, log, client)
      tellOutage(outage, out)
      const surveying = outage === undefined ? client.queues.survey() : Promise.resolve(noQueues)
      // An owner whose log does not confirm answers when it does.
      const known = partitions.reduce((sum, { queues: own = 0 }) => sum + own, 0)
      const patienceMs = surveyMs + known * surveyMsPerQueue
      const { queues, missing, isLate } = await within<Survey>(surveying, patienceMs, () => lateQueues)
      const engine = readRunFile(invocation.settings().dataDir)
      const isHere = engine !== undefined && isRunning(engine)
      const trouble = [
        ...(outage === undefined ? [] : [outage.message]),
        ...(isLate === true ? [`queues: not every partition answered within ${patienceMs} ms`] : []),
        ...missing.map(({ problem }) => problem.message),
        ...partitions.flatMap(unservedText),
        ...partitionTroubles(partitions.filter(isDescribed)),
        ...queues.filter(({ deliveryPaused }) => deliveryPaused).map(({ name }) => `queue ${name} is paused`),
        ...queues.flatMap(heldText),
      ]
      const active = partitions.filter(({ state }) => state === 'Active').length
      const rows = [
        ...(isHere ? [['console', `${engine.apiUrl}/`]] : []),
        ['nodes', nodes.map(({ host, pid }) => `${host} (process ${pid})`).join(', ') || 'none'],
        ['log', `${log}: ${active} of ${partitions.length} partitions active`],
        ['queues', isLate === true ? 'not known' : queuesText(queues)],
        ['trouble', trouble.length === 0 ? 'none' : String(trouble.length)],
      ]
      out.line(columns(rows))
      for (const line of trouble) out.line(`WARNING  ${line}`)
      if (queues.length > 0) out.line(`\n${columns([head, ...busiest(queues).map(rowOf)])}`)
      if (queues.length > queuesMax) out.line(`… ${queues.length - queuesMax} more: \`kiroku queue list\``)
      out.result({
        log,
        ...(isHere ? { api: engine.apiUrl, pid: engine.pid } : {}),
        nodes,
        partitions,
        queues,
        missing,
        trouble,
      })
    },
    lookOptions,
  )

const isDescribed = (partition: ClusterPartition): partition is ClusterPartition & PartitionDescription =>
  partition.state !== undefined

const unservedText = ({ partition, owner, state }: ClusterPartition): string[] => {
  if (state === 'Active') return []
  return [
    `partition ${partition} is ${owner === undefined ? 'without an owner' : (state ?? 'not answering')}`,
  ]
}

const heldText = ({ name, subscriptions }: QueueDescription): string[] =>
  subscriptions.flatMap(({ name: subscription, hold }) => {
    if (hold === undefined) return []
    const where = subscriptions.length === 1 ? `queue ${name}` : `subscription ${subscription} of ${name}`
    return [`${where} is ${holdText(hold)}`]
  })

const openStates = ['available', 'delayed', 'inflight', 'waitingRetry'] as const

const openOf = ({ counts }: QueueDescription): number =>
  openStates.reduce((sum, state) => sum + counts[state], 0)

const queuesText = (queues: readonly QueueDescription[]): string => {
  const open = queues.reduce((sum, queue) => sum + openOf(queue), 0)
  return `${queues.length}, with ${open} ${open === 1 ? 'message' : 'messages'} that ${open === 1 ? 'is' : 'are'} not final`
}

const busiest = (queues: readonly QueueDescription[]): QueueDescription[] =>
  [...queues].sort((a, b) => openOf(b) - openOf(a) || a.name.localeCompare(b.name)).slice(0, queuesMax)

const head = [
  'queue',
  ...openStates.map((state) => stateTitles[state]),
  'delivered/min',
  'done/min',
  'oldest',
  'consumers',
]

const rowOf = (queue: QueueDescription): string[] => {
  const { name, counts, times, oldestAgeMs, waitingPolls } = queue
  return [
    name,
    ...openStates.map((state) => String(counts[state])),
    String(times?.waiting?.count ?? 0),
    String(times?.processing?.count ?? 0),
    formatDuration(Math.floor(oldestAgeMs / 1_000) * 1_000),
    waitingPolls === 0 ? '' : `${waitingPolls} waiting`,
  ]
}
