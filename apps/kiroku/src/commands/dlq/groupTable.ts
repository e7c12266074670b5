import type { DeadLetterGroup, Payload } from '@kiroku/audit'
import { columns } from '../../cli/columns.ts'

const textMax = 60
/** Most groups listed next to the explained one. */
const othersMax = 9

/** Groups of dead letters in a table. */
export const groupTable = (groups: readonly DeadLetterGroup[]): string =>
  columns([
    ['group', 'count', 'came back', 'from', 'first', 'last', 'cause', 'error'],
    ...groups.map((g) => [
      g.group,
      String(g.count),
      g.cameBack === 0 ? '' : String(g.cameBack),
      originsOf(g),
      timeOf(g.firstAt),
      timeOf(g.lastAt),
      g.cause,
      shorten(g.form, textMax),
    ]),
  ])

/** One group with its samples, as text. */
export const describeGroup = (queue: string, g: DeadLetterGroup): string[] => {
  const payload = g.hidden === undefined ? g.payload : { ...g.payload, hidden: g.hidden }
  const error = g.error === '' ? 'no error was given' : oneLine(g.error)
  return [
    `group ${g.group} of ${queue}: ${messages(g.count)}, ${causeText[g.cause] ?? g.cause}`,
    ...(g.cause === 'sent' ? [] : [`  error      ${error}`]),
    ...(g.origins.length === 0 ? [] : [`  from       ${originsOf(g)}`]),
    `  came       ${timeOf(g.firstAt)} to ${timeOf(g.lastAt)}`,
    ...(g.inflight === 0 ? [] : [`  worked on  ${messages(g.inflight)}`]),
    ...(g.cameBack === 0
      ? []
      : [
          `  came back  ${messages(g.cameBack)} after a redrive, the worst ${g.cameBackMost === 1 ? 'once' : `${g.cameBackMost} times`}`,
        ]),
    `  samples    ${g.samples.join('\n             ')}`,
    `  payload    ${shownPayload(payload)}`,
  ]
}

/** The other groups of a queue, each with the command that explains it, as text. */
export const otherGroups = (queue: string, groups: readonly DeadLetterGroup[]): string[] => {
  if (groups.length === 0) return []
  const shown = groups.slice(0, othersMax)
  return [
    groups.length === 1 ? 'one more group:' : `${groups.length} more groups:`,
    columns(
      shown.map((g) => [
        '',
        `kiroku dlq explain ${queue} --group ${g.group}`,
        messages(g.count),
        g.form === '' ? g.cause : `${g.cause}: ${shorten(g.form, textMax)}`,
      ]),
    ),
    ...(shown.length < groups.length ? [`… \`kiroku dlq list ${queue}\` lists all`] : []),
  ]
}

/** A readable body, in a line. */
export const shownPayload = ({
  bytes,
  isBase64,
  text,
  isCut,
  hidden,
}: Payload & Pick<DeadLetterGroup, 'hidden'>): string =>
  hidden === true
    ? `${bytes} bytes, hidden; --reveal shows them`
    : `${bytes} bytes${isBase64 ? ', in base64' : ''}: ${shorten(text, 400)}${isCut ? '…' : ''}`

const causeText: Readonly<Record<string, string>> = {
  retry: 'which ran out of retries',
  leaseExpired: 'whose last lease expired before they were settled',
  nextReceive: 'which were received as often as allowed',
  onPurpose: 'which a consumer gave up on purpose',
  redriven: 'which were redriven here',
  sent: 'which were sent here, and are not dead letters',
}

const originsOf = ({ origins }: DeadLetterGroup): string =>
  origins.map(({ queue, count }) => (origins.length === 1 ? queue : `${queue} ${count}`)).join(', ')

const timeOf = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 19)

const messages = (count: number): string => (count === 1 ? '1 message' : `${count} messages`)

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const shorten = (text: string, max: number): string => {
  const line = oneLine(text)
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`
}
