import { IncomingMessage } from 'node:http'

/** A request whose body was read, to be read once more. */
export const again = (request: IncomingMessage, body: Uint8Array): IncomingMessage => {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request
  const copy = new IncomingMessage(request.socket)
  Object.assign(copy, { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor })
  // Or its connection would be ended with it.
  copy.complete = true
  copy.push(body)
  copy.push(null)
  return copy
}
