import type { Actor } from '../event/Actor.ts'
import type { Ranges } from '../Ranges.ts'
import type { RedriveFilter, RedriveTo } from '../observe/Redrive.ts'
import type { RedriveDescription } from '../observe/RedriveDescription.ts'
import { act, number, numbers, optional, queue, record, shape, text, type Shapes } from './shape.ts'

/** Moving dead letters back. */
export type RedriveCommand =
  | {
      type: 'StartRedrive'
      queue: string
      /** Absent: `main`. */
      subscription?: string
      /** Random id: a repeated request with it finds its task. */
      request: string
      to: RedriveTo
      filter?: RedriveFilter
      /** Only these messages, named by their numbers in the queue, in order; absent: all. */
      selection?: Ranges
      /** Messages a second; absent: no limit. */
      rateMax?: number
      /** Messages in all; absent: no limit. */
      messagesMax?: number
      /** Only counts what would be moved and what would stay. */
      dryRun?: boolean
      /** Only what is in this partition of a queue that is spread; absent: the queue must not be. */
      part?: boolean
      by: Actor
    }
  /** Without a task: the one that runs. */
  | { type: 'CancelRedrive'; queue: string; subscription?: string; task?: number; by: Actor }
  | { type: 'DescribeRedrives'; queue: string }

/** Answers by command type. */
export interface RedriveAnswers {
  StartRedrive: { readonly redrive: RedriveDescription }
  CancelRedrive: { readonly redrive: RedriveDescription }
  /** The last begun first. */
  DescribeRedrives: { readonly redrives: readonly RedriveDescription[] }
}

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const redriveShapes: Shapes<RedriveCommand> = {
  StartRedrive: shape({
    ...act,
    subscription: optional(text),
    request: text,
    to: (value) => value === 'origin' || shape({ partition: number, queue: number, name: text })(value),
    filter: optional(record),
    selection: optional(numbers),
    rateMax: optional(number),
    messagesMax: optional(number),
    dryRun: optional((value) => typeof value === 'boolean'),
    part: optional((value) => typeof value === 'boolean'),
  }),
  CancelRedrive: shape({ ...act, subscription: optional(text), task: optional(number) }),
  DescribeRedrives: shape(queue),
}
