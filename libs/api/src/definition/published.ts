import * as Schema from 'effect/Schema'

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * An answer that is described by a schema but sent unchanged: its fields keep their order, and those that a
 * newer engine adds are kept. Its type is the schema's.
 */
export const published = <A>(
  identifier: string,
  schema: Schema.Codec<A, unknown>,
): Schema.Codec<A, unknown> => {
  const described = Schema.toJsonSchemaDocument(schema) as {
    readonly schema: JsonSchema
    readonly definitions: Readonly<Record<string, JsonSchema>>
  }
  const whole = inlined(described.schema, described.definitions)
  return Schema.Json.check(
    Schema.makeFilter(() => true, { toJsonSchema: () => [whole as never, true] }),
  ).annotate({ identifier }) as unknown as Schema.Codec<A, unknown>
}

/** The same without references: a filter's schema has no definitions of its own. */
const inlined = (value: unknown, definitions: Readonly<Record<string, JsonSchema>>): unknown => {
  if (Array.isArray(value)) return value.map((each) => inlined(each, definitions))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as { readonly $ref?: string }
  const own = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, inlined(each, definitions)]))
  if ($ref === undefined) return own
  const name = $ref.slice($ref.lastIndexOf('/') + 1)
  return { ...(inlined(definitions[name], definitions) as object), ...own }
}
