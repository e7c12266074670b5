import * as Schema from 'effect/Schema'

/** The clock to accept. */
export const ClockRequest = Schema.Struct({
  accept: Schema.Literals(['store', 'node']).annotate({
    description: 'The clock that is right: that of NATS, or that of the node that owns the partition',
  }),
  partition: Schema.optionalKey(
    Schema.Int.annotate({ description: 'The partition; default: all whose clocks disagree' }),
  ),
  reason: Schema.optionalKey(Schema.String.annotate({ description: 'Why, for the record' })),
})

/** By how much the time of partitions advanced. */
export const ClockSteps = Schema.Struct({
  steps: Schema.Array(Schema.Struct({ partition: Schema.Int, steppedMs: Schema.Number })),
})
