import { KirokuError } from '@kiroku/protocol'

/** Where the HTTP API listens. */
export interface HttpAddress {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
}

/**
 * Reads `HOST:PORT`, `[IPv6]:PORT`, `:PORT` or `PORT`; the default host is loopback. Errors: `InvalidConfig`.
 */
export const parseHttpAddress = (text: string, what = '--http'): HttpAddress => {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:\s[\]]*):)?(\d{1,5})$/.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535)
    throw new KirokuError('InvalidConfig', `${what}: "${text}" is not HOST:PORT, like 127.0.0.1:8480`)
  const host = match[1] ?? ''
  return { host: host === '' ? '127.0.0.1' : host.replace(/[[\]]/g, ''), port }
}

/** Where `kiroku up` listens unless told otherwise: the usual port, else a free one. */
export const defaultHttpAddresses: readonly HttpAddress[] = [
  { host: '127.0.0.1', port: 8480 },
  { host: '127.0.0.1', port: 0 },
]
