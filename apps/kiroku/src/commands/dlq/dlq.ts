import {
  bodiesOf,
  DeadLetters,
  explain as explainTrace,
  payloadIn,
  withoutText,
  type DeadLetterGroup,
  type Explanation,
  type Payload,
} from '@kiroku/audit'
import { traceMessage } from '@kiroku/auditor'
import { isKirokuError, KirokuError, parseMessageId } from '@kiroku/protocol'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import { withLog } from '../../serve/withLog.ts'
import { describeGroup, groupTable, otherGroups, shownPayload } from './groupTable.ts'
import { nextSteps } from './nextSteps.ts'
import { readLetters } from './readLetters.ts'

const gather = async (invocation: Invocation, queue: string): Promise<DeadLetters> => {
  const letters = new DeadLetters()
  await readLetters(invocation, queue, ({ hidden, ...letter }) =>
    letters.accept(hidden === undefined || invocation.flag('reveal') ? letter : { ...letter, hidden }),
  )
  return letters
}

/** `dlq list`. */
export const list: CommandModule = {
  run: async (invocation) => {
    const { out, argument } = invocation
    const queue = argument('queue')!
    const { count, groups } = await gather(invocation, queue)
    out.line(count === 0 ? `queue ${queue} is empty` : groupTable(groups))
    if (count > 0) out.line(`\`kiroku dlq explain ${queue} --group ${groups[0]!.group}\` says more`)
    out.result({ queue, count, groups })
  },
}

/** `dlq explain`. */
export const explain: CommandModule = {
  run: async (invocation) => {
    const what = invocation.argument('what')!
    const group = invocation.text('group')
    if (group !== undefined || !isMessageId(what)) return explainQueue(invocation, what, group)
    const { out } = invocation
    const { explanation, bodies, isHidden } = await withLog(invocation, async (log) => {
      const trace = await traceMessage(auditedLog(log, invocation.settings().dataDir), what)
      const isHidden = trace.hidden !== undefined && !invocation.flag('reveal')
      return { explanation: explainTrace(trace), bodies: await bodiesOf(log, trace), isHidden }
    })
    const payloads = bodies.map(({ step, ...message }) => ({
      since: step.at,
      edited: step.event === 'BodyEdited',
      ...(isHidden ? { ...withoutText(payloadIn(message)), hidden: true as const } : payloadIn(message)),
    }))
    for (const line of linesOf(explanation, payloads.map(payloadLine))) out.line(line)
    out.result({ ...explanation, bodies: payloads, next: nextSteps(explanation) })
  },
}

/** Explains the requested group, or the largest one, and lists the others. */
const explainQueue = async (
  invocation: Invocation,
  queue: string,
  wanted: string | undefined,
): Promise<void> => {
  const { out } = invocation
  const { count, groups } = await gather(invocation, queue)
  const group = wanted === undefined ? groups[0] : pick(groups, queue, wanted)
  if (group === undefined) {
    out.line(`queue ${queue} is empty`)
    return out.result({ queue, count, others: [] })
  }
  const others = wanted === undefined ? groups.slice(1) : []
  const story = await withLog(invocation, async (log) =>
    explainTrace(await traceMessage(auditedLog(log, invocation.settings().dataDir), group.samples[0]!)),
  )
  const next = nextSteps({ queue, group: group.group, samples: group.samples })
  for (const line of describeGroup(queue, group)) out.line(line)
  out.line()
  out.line(`the newest of them, ${story.messageId}:`)
  for (const sentence of story.sentences) out.line(`  ${sentence}`)
  out.line()
  for (const line of next) out.line(line)
  if (others.length > 0) out.line()
  for (const line of otherGroups(queue, others)) out.line(line)
  out.result({ queue, ...group, story, next, ...(wanted === undefined ? { others } : {}) })
}

const pick = (groups: readonly DeadLetterGroup[], queue: string, wanted: string): DeadLetterGroup => {
  const found = groups.filter(({ group }) => group.startsWith(wanted))
  if (found.length === 1) return found[0]!
  throw new KirokuError(
    'InvalidArgument',
    found.length === 0
      ? `queue "${queue}" has no group ${wanted}; \`kiroku dlq list ${queue}\` lists its groups`
      : `${found.length} groups of queue "${queue}" begin with ${wanted}; give more digits`,
  )
}

const payloadLine = (payload: Payload & { readonly edited: boolean; readonly hidden?: true }): string =>
  `${payload.edited ? 'edited' : 'body'}: ${shownPayload(payload)}`

const linesOf = (explanation: Explanation, bodies: readonly string[]): string[] => [
  `${explanation.messageId}  ${explanation.queues.join(' → ')}`,
  ...explanation.sentences,
  '',
  ...bodies,
  '',
  ...nextSteps(explanation),
]

const isMessageId = (text: string): boolean => {
  try {
    parseMessageId(text)
    return true
  } catch (e) {
    if (isKirokuError(e)) return false
    throw e
  }
}
