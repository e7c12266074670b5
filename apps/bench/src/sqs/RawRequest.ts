import type { SQSClientConfig } from '@aws-sdk/client-sqs'
import { SQSClient } from '@aws-sdk/client-sqs'

/** A request as it goes over the wire, in two pieces around its length, so that its body can be replaced. */
export interface RawRequest {
  /** From the method to the last header but `content-length`. */
  readonly head: string
  readonly body: string
}

/** What the SDK hands over to be sent. */
interface Captured {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Thrown once the request is known: nothing is to be sent. */
class Known extends Error {
  readonly request: Captured

  constructor(request: Captured) {
    super()
    this.request = request
  }
}

const decoder = new TextDecoder()

const placeholder = { accessKeyId: 'any', secretAccessKey: 'any' }

/**
 * The bytes that the AWS SDK would send.
 *
 * @param ask makes the SDK send the request
 */
export const rawRequest = async (
  endpoint: string,
  ask: (client: SQSClient) => Promise<unknown>,
  credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } = placeholder,
): Promise<RawRequest> => {
  const requestHandler = {
    handle: (request: Captured) => Promise.reject(new Known(request)),
  } as unknown as NonNullable<SQSClientConfig['requestHandler']>
  const client = new SQSClient({
    endpoint,
    region: 'eu-central-1',
    credentials,
    maxAttempts: 1,
    requestHandler,
  })
  try {
    await ask(client)
  } catch (error) {
    if (!(error instanceof Known)) throw error
    const { method, path, headers, body } = error.request
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      name.toLowerCase() === 'content-length' ? [] : [`${name}: ${value}\r\n`],
    )
    return {
      head: `${method} ${path} HTTP/1.1\r\n${lines.join('')}`,
      body: typeof body === 'string' ? body : decoder.decode(body),
    }
  } finally {
    client.destroy()
  }
  throw new Error('The SDK sent nothing.')
}
