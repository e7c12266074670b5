import * as Schema from 'effect/Schema'

const optional = Schema.optionalKey
const count = Schema.Finite

/** Message groups of a subscription. */
export const Groups = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({
      group: Schema.String,
      waiting: count.annotate({ description: 'Messages that are available' }),
      inflight: count,
      blockedBy: optional(
        Schema.Struct({
          number: count,
          state: Schema.Literals(['Inflight', 'WaitingRetry']),
          attempt: count,
          until: Schema.Finite.annotate({
            description: 'End of its lease or of its pause, since 1970, in ms',
          }),
        }).annotate({ description: 'In an ordered queue: what blocks the waiting messages' }),
      ),
    }),
  ),
  total: count.annotate({ description: 'Groups in all' }),
}).annotate({ identifier: 'Groups' })
