import {
  type CommandOf,
  dedupIdRule,
  groupRule,
  inTime,
  isDedupId,
  isGroup,
  isTag,
  KirokuError,
  limits,
  tagRule,
} from '@kiroku/protocol'
import type { BatchOptions, SendOptions } from './SendOptions.ts'

/** What the partition reads of a message besides its envelope; absent: the queue's default, or none. */
export interface Marks {
  readonly delayMs: number | undefined
  readonly tag: string | undefined
  readonly group: string | undefined
  readonly dedupId: string | undefined
}

/** The marks of a message: its own, else those of its batch. Errors: `InvalidArgument`. */
export const marksOf = (own: SendOptions, shared?: BatchOptions): Marks | undefined => {
  const delayMs = own.delayMs ?? shared?.delayMs
  const tag = own.tag ?? shared?.tag
  const group = own.group ?? shared?.group
  // One id for several messages would make all but the first of them repeats.
  const { dedupId } = own
  if (delayMs === undefined && tag === undefined && group === undefined && dedupId === undefined)
    return undefined
  if (delayMs !== undefined && !(Number.isFinite(delayMs) && delayMs >= 0 && delayMs <= limits.delayMsMax))
    throw new KirokuError(
      'InvalidArgument',
      `a delay must be from 0 to ${inTime(limits.delayMsMax)} in whole ms, not ${inTime(delayMs)}`,
    )
  if (tag !== undefined && !isTag(tag)) throw new KirokuError('InvalidArgument', tagRule)
  if (group !== undefined && !isGroup(group)) throw new KirokuError('InvalidArgument', groupRule)
  if (dedupId !== undefined && !isDedupId(dedupId)) throw new KirokuError('InvalidArgument', dedupIdRule)
  return { delayMs: delayMs === undefined ? undefined : Math.round(delayMs), tag, group, dedupId }
}

type Columns = Pick<CommandOf<'Enqueue'>, 'delaysMs' | 'tags' | 'groups' | 'dedupIds'>

/** Marks of the messages of one command, in columns; a column without values is absent. */
export class MarkColumns {
  #delaysMs: number[] | undefined
  #tags: string[] | undefined
  #groups: string[] | undefined
  #dedupIds: string[] | undefined

  /** Notes the marks of the message that comes after `count` others. */
  add(count: number, marks: Marks | undefined): void {
    this.#delaysMs = added(this.#delaysMs, count, marks?.delayMs, -1)
    this.#tags = added(this.#tags, count, marks?.tag, '')
    this.#groups = added(this.#groups, count, marks?.group, '')
    this.#dedupIds = added(this.#dedupIds, count, marks?.dedupId, '')
  }

  slice(start: number, end: number): MarkColumns {
    const part = new MarkColumns()
    part.#delaysMs = this.#delaysMs?.slice(start, end)
    part.#tags = this.#tags?.slice(start, end)
    part.#groups = this.#groups?.slice(start, end)
    part.#dedupIds = this.#dedupIds?.slice(start, end)
    return part
  }

  /** The columns as the command has them. */
  get columns(): Columns {
    const columns: { -readonly [K in keyof Columns]: Columns[K] } = {}
    if (this.#delaysMs !== undefined) columns.delaysMs = this.#delaysMs
    if (this.#tags !== undefined) columns.tags = this.#tags
    if (this.#groups !== undefined) columns.groups = this.#groups
    if (this.#dedupIds !== undefined) columns.dedupIds = this.#dedupIds
    return columns
  }
}

const added = <A>(column: A[] | undefined, count: number, value: A | undefined, none: A): A[] | undefined => {
  if (column === undefined && value === undefined) return undefined
  const filled = column ?? new Array<A>(count).fill(none)
  filled.push(value ?? none)
  return filled
}
