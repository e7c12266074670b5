import * as Schema from 'effect/Schema'
import { hidden, Payload } from './bodySchemas.ts'

const count = Schema.Finite
const ms = (description: string) =>
  Schema.Finite.annotate({ description: `${description}, in ms since 1970` })

const DeadLetterGroup = Schema.Struct({
  group: Schema.String.annotate({ description: 'Its name, made of cause and form' }),
  cause: Schema.String.annotate({
    description: 'retry, leaseExpired, nextReceive, onPurpose; redriven or sent for what is no dead letter',
  }),
  fingerprint: Schema.String.annotate({ description: 'Fingerprint of the errors, as filters take it' }),
  form: Schema.String.annotate({ description: 'The error without what changes from case to case' }),
  error: Schema.String.annotate({ description: 'The youngest error' }),
  count,
  inflight: count.annotate({ description: 'How many of them are in flight' }),
  cameBack: count.annotate({ description: 'How many of them were redriven and became dead letters again' }),
  cameBackMost: count.annotate({ description: 'How often the one did that did so most' }),
  origins: Schema.Array(Schema.Struct({ queue: Schema.String, count })),
  firstAt: ms('When the first of them came'),
  lastAt: ms('When the last of them came'),
  samples: Schema.Array(Schema.String).annotate({ description: 'Ids of the youngest, at most five' }),
  hidden,
  payload: Payload.annotate({ description: 'Body of the youngest' }),
}).annotate({ identifier: 'DeadLetterGroup' })

/** Dead letters of a queue by cause and kind of error. */
export const DeadLetterGroups = Schema.Struct({
  queue: Schema.String,
  count,
  groups: Schema.Array(DeadLetterGroup),
}).annotate({ identifier: 'DeadLetterGroups' })
