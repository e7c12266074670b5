import { actions } from '../actions/index.ts'
import type { SqsError } from '../SqsError.ts'
import type { SqsRequest } from './readRequest.ts'
import { writeJson } from './writeJson.ts'
import { escapeXml, writeXml } from './writeXml.ts'

/** An answer as it leaves. */
export interface Written {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** In which the body has as many bytes as its length says: ASCII is written faster if it is said to be that. */
  readonly encoding: 'latin1' | 'utf8'
}

const namespace = 'http://queue.amazonaws.com/doc/2012-11-05/'

const written = (
  protocol: SqsRequest['protocol'],
  status: number,
  requestId: string,
  body: string,
  more: Readonly<Record<string, string>> = {},
): Written => {
  const bytes = Buffer.byteLength(body)
  const headers = {
    'content-type': protocol === 'json' ? 'application/x-amz-json-1.0' : 'text/xml',
    'content-length': String(bytes),
    'x-amzn-requestid': requestId,
    ...more,
  }
  return { status, headers, body, encoding: bytes === body.length ? 'latin1' : 'utf8' }
}

/** The answer to a request. */
export const writeAnswer = (
  { protocol, action }: SqsRequest,
  requestId: string,
  values: Readonly<Record<string, unknown>>,
): Written => {
  if (protocol === 'json')
    return written(protocol, 200, requestId, writeJson(actions[action]!.output, values))
  const { output } = actions[action]!
  const hasResult = Object.keys(output).length > 0
  const result = hasResult ? `<${action}Result>${writeXml(output, values)}</${action}Result>` : ''
  const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`
  return written(
    protocol,
    200,
    requestId,
    `<?xml version="1.0"?><${action}Response xmlns="${namespace}">${result}${metadata}</${action}Response>`,
  )
}

/** The answer to a request that is refused. */
export const writeError = (
  protocol: SqsRequest['protocol'],
  requestId: string,
  { name, code, message, status, isSenders, retryAfterSeconds }: SqsError,
): Written => {
  const side = isSenders ? 'Sender' : 'Receiver'
  const pause = retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) }
  if (protocol === 'json')
    return written(protocol, status, requestId, JSON.stringify({ __type: name, message }), {
      'x-amzn-query-error': `${code};${side}`,
      ...pause,
    })
  const error = `<Error><Type>${side}</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message><Detail/></Error>`
  return written(
    protocol,
    status,
    requestId,
    `<?xml version="1.0"?><ErrorResponse xmlns="${namespace}">${error}<RequestId>${requestId}</RequestId></ErrorResponse>`,
    pause,
  )
}
