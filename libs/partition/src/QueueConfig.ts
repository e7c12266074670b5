import type { QueueAddress, RetryPolicy } from '@kiroku/message'
import { queueSettings } from './queueSettings.ts'

/** Where exhausted messages go: the name for people, the address for events. */
export interface DeadLetterTarget extends QueueAddress {
  readonly name: string
}

type Rows = typeof queueSettings

type ValueOf<Row> = Row extends { readonly min: number }
  ? number
  : Row extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Row extends { readonly kind: 'retry' }
      ? RetryPolicy
      : Row extends { readonly kind: 'schema' }
        ? Readonly<Record<string, unknown>> | null
        : DeadLetterTarget | null

type Values = { readonly [Name in keyof Rows]: ValueOf<Rows[Name]> }

/** Everything that can be set for a queue, as `queueSettings` describes it. Times are in ms. */
export interface QueueConfig extends Values {}

/** The defaults of the native door. */
export const defaultQueueConfig = Object.fromEntries(
  Object.entries(queueSettings).map(([name, row]) => [name, row.default]),
) as unknown as QueueConfig
