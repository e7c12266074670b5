import type { IncomingMessage } from 'node:http'
import type { InFlight } from '@kiroku/doors'
import { SqsError } from '../SqsError.ts'
import { malformed } from './readJson.ts'

/** The largest batch that SQS takes, with every character of it escaped. */
const bodyBytesMax = 8 * 1024 * 1024

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The body of a request as text. Errors: `RequestEntityTooLarge`, `MalformedInput` (no UTF-8), `Busy`. */
export const readBody = async (request: IncomingMessage, inFlight: InFlight): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax)
      throw new SqsError('RequestEntityTooLarge', `A request has up to ${bodyBytesMax} bytes.`)
    inFlight.take(request, chunk.length)
    chunks.push(chunk)
  }
  try {
    return decoder.decode(Buffer.concat(chunks))
  } catch {
    throw malformed('the body is not UTF-8')
  }
}
