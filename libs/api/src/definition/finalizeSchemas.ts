import * as Schema from 'effect/Schema'

/** Why the cluster is finalized. */
export const FinalizeRequest = Schema.Struct({
  reason: Schema.optionalKey(Schema.String.annotate({ description: 'Why, for the record' })),
})

/** The feature level in force, and where it was lower before. */
export const FinalizedAnswer = Schema.Struct({
  clusterVersion: Schema.Int,
  raised: Schema.Array(Schema.Int.annotate({ description: 'A partition' })),
})
