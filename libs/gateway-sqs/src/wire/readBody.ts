import type { IncomingMessage } from 'node:http'
import type { InFlight } from '@kiroku/doors'
import { SqsError } from '../SqsError.ts'
import { malformed } from './readJson.ts'

/** The largest batch that SQS takes, with every character of it escaped. */
const bodyBytesMax = 8 * 1024 * 1024

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Why a request is given up without an answer; one error for all of them, since nobody reads where it came from. */
export const callerGone = new Error('The caller is gone.')

/** The body of a request as text. Errors: `RequestEntityTooLarge`, `MalformedInput` (no UTF-8), `Busy`, `callerGone`. */
export const readBody = async (request: IncomingMessage, inFlight: InFlight): Promise<string> => {
  const chunks = await chunksOf(request, inFlight)
  try {
    return decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
  } catch {
    throw malformed('the body is not UTF-8')
  }
}

/** By events: an iterator over a request costs more than the rest of a small one. */
const chunksOf = (request: IncomingMessage, inFlight: InFlight): Promise<Buffer[]> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const take = (chunk: Buffer): void => {
      bytes += chunk.length
      try {
        if (bytes > bodyBytesMax)
          throw new SqsError('RequestEntityTooLarge', `A request has up to ${bodyBytesMax} bytes.`)
        inFlight.take(request, chunk.length)
        chunks.push(chunk)
      } catch (error) {
        request.off('data', take).pause()
        reject(error as Error)
      }
    }
    const gone = (): void => reject(callerGone)
    const end = (): void => {
      // A receive may wait for long, and would hold what its body came in.
      request.off('data', take).off('close', gone).off('end', end)
      resolve(chunks)
    }
    request.on('data', take).on('close', gone).on('end', end)
  })
