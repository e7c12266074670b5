import * as Schema from 'effect/Schema'

/** A parameter of a query string that may be absent. */
export const queryText = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/**
 * The texts of a query string with these parameters. The questions beside them read the texts themselves, not the schema:
 * all durations of a request count back from one moment, and unreadable text is refused with an error of
 * Kiroku.
 */
export type QueryTexts<Parameters extends Schema.Struct.Fields> = Schema.Struct<Parameters>['Type']
