import type { Act } from '@kiroku/audit'
import type { QueueDescription, RedriveDescription } from '@kiroku/protocol'

/** Whether a caller may know of a queue. */
export type Sees = (queue: string) => boolean

/** The same without the names and addresses of queues that a caller may not know of: their names are empty. */
export const withoutAddresses = <A>(value: A, sees: Sees): A => addressless(value, sees) as A

const addressless = (value: unknown, sees: Sees): unknown => {
  if (Array.isArray(value)) return value.map((each) => addressless(each, sees))
  if (typeof value !== 'object' || value === null) return value
  const fields = value as { name?: unknown; partition?: unknown; queue?: unknown }
  const { name, partition, queue } = fields
  if (typeof name === 'string' && typeof partition === 'number' && typeof queue === 'number' && !sees(name))
    return { name: '', partition: 0, queue: 0 }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, addressless(each, sees)]))
}

/** A text without quoted names, and paths of names, of queues that a caller may not know of. */
export const withoutNames = (text: string, sees: Sees): string =>
  text
    .replace(/"([A-Za-z0-9_-]+(?:\.fifo)?)"/g, (quoted, name: string) => (sees(name) ? quoted : '"…"'))
    .replace(/[\w.-]+(?: → [\w.-]+)+/g, (path) =>
      path
        .split(' → ')
        .map((name) => (sees(name) ? name : '…'))
        .join(' → '),
    )

/** A queue that a caller sees, without those that it names. */
export const queueWithoutOthers = (queue: QueueDescription, sees: Sees): QueueDescription => {
  const { warnings, outbox, ...rest } = queue
  return {
    ...withoutAddresses(rest, sees),
    warnings: warnings.map((text) => withoutNames(text, sees)),
    ...(outbox === undefined
      ? {}
      : { outbox: outbox.map(({ to, ...lane }) => ({ ...lane, to: sees(to) ? to : '' })) }),
  }
}

/** A redrive of a queue that a caller sees. */
export const redriveWithoutOthers = (redrive: RedriveDescription, sees: Sees): RedriveDescription => ({
  ...withoutAddresses(redrive, sees),
  targets: redrive.targets.filter(({ queue }) => sees(queue)),
  note: withoutNames(redrive.note, sees),
})

/** An act on a queue that a caller sees. */
export const actWithoutOthers = (act: Act, sees: Sees): Act => ({
  ...act,
  before: withoutAddresses(act.before, sees),
  after: withoutAddresses(act.after, sees),
})
