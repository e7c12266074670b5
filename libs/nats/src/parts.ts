import { headers, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/nats-core'
import { partHeader, payloadMarginBytes } from './commandSubjects.ts'

/** Publishes bytes, in several messages where they are too large for one; headers and reply subject go with the last one. */
export const publishInParts = (
  nc: NatsConnection,
  to: string,
  bytes: Uint8Array,
  last: { readonly headers?: MsgHdrs; readonly reply?: string } = {},
): void => {
  if (nc.isClosed()) return
  const partBytes = (nc.info?.max_payload ?? 1024 * 1024) - payloadMarginBytes
  if (bytes.length <= partBytes) return nc.publish(to, bytes, last)
  const parts = Math.ceil(bytes.length / partBytes)
  for (let i = 0; i < parts; i++) {
    const options = i === parts - 1 ? last : {}
    const numbered = options.headers ?? headers()
    numbered.set(partHeader, `${i + 1}/${parts}`)
    nc.publish(to, bytes.subarray(i * partBytes, (i + 1) * partBytes), { ...options, headers: numbered })
  }
}

/** The whole once its last part is here; `parts` holds those before it, which come in order. */
export const assemble = (parts: Uint8Array[], msg: Msg): Uint8Array | undefined => {
  const header = msg.headers?.get(partHeader) ?? ''
  if (header === '') return msg.data
  const [part, of] = header.split('/').map(Number)
  if (part === 1) parts.length = 0
  parts.push(msg.data)
  if (part !== of || parts.length !== of) return undefined
  return Buffer.concat(parts)
}
