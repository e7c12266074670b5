import * as Schema from 'effect/Schema'
import { hidden, Payload } from './bodySchemas.ts'

const count = Schema.Finite
const ms = (description: string) =>
  Schema.Finite.annotate({ description: `${description}, in ms since 1970` })

const DeadLetterGroup = Schema.Struct({
  group: Schema.String.annotate({ description: 'Its name, made of cause and form' }),
  cause: Schema.String.annotate({
    description:
      'retry, leaseExpired, nextReceive, onPurpose; redriven or sent for what is not a dead letter',
  }),
  fingerprint: Schema.String.annotate({ description: 'Fingerprint of the errors, for use in filters' }),
  form: Schema.String.annotate({ description: 'The error without what changes from case to case' }),
  error: Schema.String.annotate({ description: 'The newest error' }),
  count,
  inflight: count.annotate({ description: 'How many of them are in flight' }),
  cameBack: count.annotate({ description: 'How many of them were redriven and became dead letters again' }),
  cameBackMost: count.annotate({ description: 'The most times that one of them did' }),
  origins: Schema.Array(Schema.Struct({ queue: Schema.String, count })),
  firstAt: ms('When the first of them arrived'),
  lastAt: ms('When the last of them arrived'),
  samples: Schema.Array(Schema.String).annotate({ description: 'Ids of the newest, at most five' }),
  hidden,
  payload: Payload.annotate({ description: 'Body of the newest' }),
}).annotate({ identifier: 'DeadLetterGroup' })

/** Dead letters of a queue by cause and kind of error. */
export const DeadLetterGroups = Schema.Struct({
  queue: Schema.String,
  count,
  groups: Schema.Array(DeadLetterGroup),
}).annotate({ identifier: 'DeadLetterGroups' })
