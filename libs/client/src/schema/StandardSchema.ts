/**
 * Standard Schema, version 1, as its authors publish it for copying (https://standardschema.dev): what zod, valibot,
 * arktype and others have in common.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** The schema's output, or what does not fit. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** One thing that does not fit, and where. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type TypesOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>

/** The input type of a schema. */
export type InputOf<S extends StandardSchema> = TypesOf<S>['input']

/** The output type of a schema. */
export type OutputOf<S extends StandardSchema> = TypesOf<S>['output']
