import * as Schema from 'effect/Schema'

/** Which clock is right. */
export const ClockRequest = Schema.Struct({
  accept: Schema.Literals(['store', 'node']).annotate({
    description: 'The clock that is right: that of NATS, or that of the node that owns the partition',
  }),
  partition: Schema.optionalKey(
    Schema.Int.annotate({ description: 'The partition; default all whose clocks disagree' }),
  ),
  reason: Schema.optionalKey(Schema.String.annotate({ description: 'Why, for the record' })),
})

/** By how much partitions moved on. */
export const ClockSteps = Schema.Struct({
  steps: Schema.Array(Schema.Struct({ partition: Schema.Int, steppedMs: Schema.Number })),
})
