import type { OutgoingMessage } from '../SendOptions.ts'
import { stringify } from '../encodeMessage.ts'
import { checkBody } from './checkBody.ts'
import type { QueueDefinition } from './defineQueue.ts'

/**
 * A message for a defined queue, as it is sent: its body as JSON text. The schema checks that text, since it
 * is what arrives. Errors: `BodyMismatch`, `InvalidArgument` (what JSON cannot hold), what the schema throws.
 */
export const fitting = async (
  definition: QueueDefinition,
  message: OutgoingMessage<unknown>,
): Promise<OutgoingMessage<unknown>> => {
  const body = stringify(message.body)
  await checkBody(definition, body)
  return { ...message, contentType: message.contentType ?? 'application/json', body }
}
