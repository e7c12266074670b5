import * as Schema from 'effect/Schema'

const optional = Schema.optionalKey
const count = Schema.Finite

/** The beginning of a body in readable form. */
export const Payload = Schema.Struct({
  contentType: optional(Schema.String),
  bytes: count.annotate({ description: 'Size of the whole body' }),
  text: Schema.String,
  isBase64: Schema.Boolean,
  isCut: Schema.Boolean,
})

/** Whether the text of a body is left out. */
export const hidden = optional(
  Schema.Literal(true).annotate({
    description:
      'A queue that the message passed hides bodies: the text is left out, for viewers the attributes as well',
  }),
)

/** What a message carries. */
export const MessageBody = Schema.Struct({
  payload: Payload.annotate({
    description: 'The body, as text if it is text; numbers exactly as sent',
  }),
  attributes: Schema.Record(Schema.String, Schema.String),
  tag: optional(Schema.String),
  group: optional(Schema.String),
  dedupId: optional(Schema.String),
  contentType: optional(Schema.String),
  traceparent: optional(Schema.String),
  enqueuedAt: optional(count.annotate({ description: 'When it was sent, in ms since 1970' })),
  lineage: optional(
    Schema.Json.annotate({
      description: 'Of dead letters and redriven messages: where they came from, and why',
    }),
  ),
  hidden,
  unreadable: optional(
    Schema.Literals(['erased', 'lost', 'trimmed']).annotate({
      description: 'Why there is no body: its key was erased, or is lost, or the record begins after it',
    }),
  ),
}).annotate({ identifier: 'MessageBody' })
