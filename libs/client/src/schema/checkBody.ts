import { KirokuError } from '@kiroku/protocol'
import type { SchemaIssue } from './StandardSchema.ts'
import type { QueueDefinition } from './defineQueue.ts'

/** Most issues that an error lists. */
const issuesMax = 5

/** The value of a JSON text by a queue's schema. Errors: `BodyMismatch`, which names the places; what the schema throws. */
export const checkBody = async ({ name, schema }: QueueDefinition, text: string): Promise<unknown> => {
  const result = await schema['~standard'].validate(parse(name, text))
  if (result.issues === undefined) return result.value
  const issues = result.issues.slice(0, issuesMax).map(issueText).join('; ')
  throw new KirokuError('BodyMismatch', `the body does not fit the schema of queue "${name}": ${issues}`)
}

const parse = (queue: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new KirokuError('BodyMismatch', `queue "${queue}" requires JSON, and the body is not JSON`, {
      cause,
    })
  }
}

const issueText = ({ path = [], message }: SchemaIssue): string =>
  `/${path.map((step) => String(typeof step === 'object' ? step.key : step)).join('/')} ${message}`
