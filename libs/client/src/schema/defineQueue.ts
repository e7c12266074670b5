import { checkQueueName, KirokuError, valueInWords } from '@kiroku/protocol'
import type { InputOf, OutputOf, StandardSchema } from './StandardSchema.ts'

/** A queue whose bodies are JSON that fits a schema; used in place of its name. */
export interface QueueDefinition<Input = unknown, Output = Input> {
  readonly name: string
  readonly schema: StandardSchema<Input, Output>
}

/**
 * Names a queue and the schema of its bodies, of any library that implements Standard Schema: zod, valibot,
 * arktype and others. A sender that uses the definition sends only what fits, as JSON; a consumer that uses
 * it gets the schema's output as `value`, and what does not fit is dead-lettered at once. Creates nothing.
 * Errors: `InvalidQueueName`, `InvalidArgument` (no such schema).
 *
 * @example
 * const mail = defineQueue('mail', z.object({ to: z.email() }))
 * await client.send(mail, { to: 'ada@example.org' })
 * client.consumeEach(mail, ({ value }) => console.log(value.to))
 */
export const defineQueue = <S extends StandardSchema>(
  name: string,
  schema: S,
): QueueDefinition<InputOf<S>, OutputOf<S>> => {
  checkQueueName(name)
  if (schema?.['~standard'] === undefined)
    throw new KirokuError(
      'InvalidArgument',
      `defineQueue needs a schema of zod, valibot, arktype or another library of Standard Schema, not ${valueInWords(schema)}`,
    )
  return { name, schema: schema as StandardSchema<InputOf<S>, OutputOf<S>> }
}

/** A queue by its name or its definition. */
export type QueueNamed = string | QueueDefinition

/** The name of a queue given either way. Errors: `InvalidArgument`. */
export const nameOf = (queue: QueueNamed): string => {
  if (typeof queue === 'string') return queue
  if (typeof queue?.name === 'string' && queue.schema !== undefined) return queue.name
  throw new KirokuError(
    'InvalidArgument',
    `Name a queue as text, or by what defineQueue returned, not by ${valueInWords(queue)}`,
  )
}
