import { linkVersion } from './limits.ts'

/** What a client says first: whom it wants to talk to. */
export interface ClientGreeting {
  readonly version: number
  readonly log: string
  /** The node that it was told of: a path alone may be another's. */
  readonly node: string
  /** The name under which it enters NATS, so that its acts are on record alike either way. */
  readonly as?: string
}

/** What a node answers. */
export interface NodeGreeting {
  readonly version: number
  readonly requestBytesMax: number
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** A greeting as bytes. */
export const encodeGreeting = (greeting: ClientGreeting | NodeGreeting): Uint8Array =>
  Buffer.from(JSON.stringify(greeting))

/** The fields of a greeting; empty for anything else. */
const decode = (bytes: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Why a client's greeting is refused, if it is. */
export const refuseClient = (
  bytes: Uint8Array,
  expected: Pick<ClientGreeting, 'log' | 'node'>,
): string | undefined => {
  const { version, log, node } = decode(bytes)
  if (typeof version !== 'number') return 'its first frame is no greeting'
  if (version !== linkVersion) return `it speaks version ${version} of the link, not ${linkVersion}`
  if (log !== expected.log || node !== expected.node) return 'it looks for another node'
  return undefined
}

/** The name that a client enters NATS under; undefined: none. */
export const readName = (bytes: Uint8Array): string | undefined => {
  const { as } = decode(bytes)
  return typeof as === 'string' && as !== '' ? as : undefined
}

/** What a node accepts; undefined: this is not a node that speaks our version. */
export const readNode = (bytes: Uint8Array): NodeGreeting | undefined => {
  const { version, requestBytesMax } = decode(bytes)
  return version === linkVersion && typeof requestBytesMax === 'number'
    ? { version, requestBytesMax }
    : undefined
}
