import type { RedriveOptions } from '@kiroku/client'
import { KirokuError } from '@kiroku/message'
import type { FlagSpec, Invocation } from '../cli/CommandSpec.ts'
import { parseDurationMs } from '../config/units.ts'
import { parseAttributes } from '../send/attributes.ts'

type Filter = NonNullable<RedriveOptions['filter']>

/** Flags that say what is redriven, where to, and how fast. */
export const redriveFlags: readonly FlagSpec[] = [
  {
    name: 'to',
    kind: 'text',
    metavar: 'QUEUE',
    description: 'Queue that all go to; default: each goes back to where it came from.',
  },
  { name: 'tag', kind: 'text', metavar: 'TAG', description: 'Only messages with this tag.' },
  {
    name: 'cause',
    kind: 'choice',
    choices: ['retry', 'leaseExpired', 'nextReceive', 'onPurpose', 'redriven'],
    description: 'Only messages that became dead letters by this.',
  },
  {
    name: 'error',
    kind: 'text',
    metavar: 'TEXT',
    description: 'Only messages with this in the error they became dead letters with.',
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
      'Only messages that came at this time or later: 2026-11-21T10:00:00Z, or 2h for two hours ago.',
  },
  { name: 'before', kind: 'text', metavar: 'TIME', description: 'Only messages that came before this time.' },
  {
    name: 'rate',
    kind: 'int',
    metavar: 'N',
    description: 'Most messages a second; default: as fast as it goes.',
  },
  { name: 'max', kind: 'int', metavar: 'N', description: 'Most messages in all.' },
  { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
]

/** What the flags ask for. Errors: `InvalidArgument`. */
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
