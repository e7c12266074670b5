import type { RedriveOptions } from '@kiroku/client'
import { KirokuError, parseDurationMs } from '@kiroku/protocol'
import type { FlagSpec, Invocation } from '../../cli/CommandSpec.ts'
import { parseAttributes } from '../../cli/parseAttributes.ts'

type Filter = NonNullable<RedriveOptions['filter']>

/** Flags that say what to redrive, where to, and how fast. */
export const redriveFlags: readonly FlagSpec[] = [
  {
    name: 'to',
    kind: 'text',
    metavar: 'QUEUE',
    description: 'Queue to move them to; default: each to its origin.',
  },
  { name: 'tag', kind: 'text', metavar: 'TAG', description: 'Only messages with this tag.' },
  {
    name: 'cause',
    kind: 'choice',
    choices: ['retry', 'leaseExpired', 'nextReceive', 'onPurpose', 'redriven'],
    description: 'Only messages dead-lettered for this cause.',
  },
  {
    name: 'error',
    kind: 'text',
    metavar: 'TEXT',
    description: 'Only messages dead-lettered with an error that contains this.',
  },
  {
    name: 'attributes',
    kind: 'text',
    metavar: 'K=V,…',
    description: 'Only messages with these attributes.',
  },
  {
    name: 'after',
    kind: 'text',
    metavar: 'TIME',
    description:
      'Only messages that arrived at this time or later: 2026-11-21T10:00:00Z, or 2h for two hours ago.',
  },
  {
    name: 'before',
    kind: 'text',
    metavar: 'TIME',
    description: 'Only messages that arrived before this time.',
  },
  {
    name: 'rate',
    kind: 'int',
    metavar: 'N',
    description: 'Maximum messages per second; default: as fast as possible.',
  },
  { name: 'max', kind: 'int', metavar: 'N', description: 'Maximum number of messages in all.' },
  { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
]

/** The redrive that the flags describe. Errors: `InvalidArgument`. */
export const redriveOptionsOf = ({ text, int, flag }: Invocation, nowMs: number): RedriveOptions => {
  const filter: Record<string, unknown> = {}
  for (const name of ['tag', 'cause', 'error'] as const)
    if (text(name) !== undefined) filter[name] = text(name)
  const attributes = text('attributes')
  if (attributes !== undefined) filter['attributes'] = parseAttributes(attributes)
  const after = text('after')
  if (after !== undefined) filter['enqueuedAfter'] = parseTime(after, '--after', nowMs)
  const before = text('before')
  if (before !== undefined) filter['enqueuedBefore'] = parseTime(before, '--before', nowMs)
  const to = text('to')
  const subscription = text('subscription')
  const rateMax = int('rate')
  const messagesMax = int('max')
  return {
    ...(to === undefined ? {} : { to }),
    ...(subscription === undefined ? {} : { subscription }),
    ...(Object.keys(filter).length === 0 ? {} : { filter: filter as Filter }),
    ...(rateMax === undefined ? {} : { rateMax }),
    ...(messagesMax === undefined ? {} : { messagesMax }),
    ...(flag('dry-run') ? { dryRun: true } : {}),
  }
}

/** Reads a date with its time, or how long ago it is, as ms since 1970. */
const parseTime = (text: string, what: string, nowMs: number): number => {
  if (!/^\d{4}-/.test(text)) return nowMs - parseDurationMs(text, what)
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new KirokuError(
      'InvalidArgument',
      `${what}: "${text}" is not a time; write 2026-11-21T10:00:00Z or 2h`,
    )
  return ms
}
