import { KirokuError } from '@kiroku/protocol'
import { isLoopback } from './isLoopback.ts'
import type { Tokens } from './Tokens.ts'

/** Where a door listens. */
export interface Address {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
}

/** Refuses to bind beyond loopback without tokens. Errors: `TokenRequired`. */
export const checkBind = (host: string, tokens: Tokens): void => {
  if (!tokens.areRequired && !isLoopback(host))
    throw new KirokuError('TokenRequired', `the API would be open to everyone on ${host}`)
}

/** The URL of an HTTP address, with TLS or without; IPv6 hosts in brackets. */
export const httpUrl = ({ host, port }: Address, isTls: boolean): string =>
  `http${isTls ? 's' : ''}://${host.includes(':') ? `[${host.replace(/[[\]]/g, '')}]` : host}:${port}`

/** The error for an address that could not be bound: `PortInUse`, `InvalidArgument`, or the error itself. */
export const listenError = (error: unknown, { host, port }: Address): unknown => {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    const { code } = e as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      return new KirokuError('PortInUse', `port ${port} of ${host} is taken by another program`, {
        cause: error,
      })
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      return new KirokuError('InvalidArgument', `the API cannot listen on ${host}:${port} (${code})`, {
        cause: error,
      })
  }
  return error
}
