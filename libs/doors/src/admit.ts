import { cleanActor, KirokuError, type Actor } from '@kiroku/protocol'
import { isLoopback } from './isLoopback.ts'
import type { Identity } from './Identity.ts'
import type { Tokens } from './Tokens.ts'

/** Headers of a request, in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>

/** What a request says about its caller. */
export interface Credentials {
  /** The token; empty for none. */
  readonly presented: string
  readonly headers: Headers
}

/** Everyone on this machine, where there are no tokens. */
export const local: Identity = { name: 'local', grants: { role: 'admin', queues: [] } }

/**
 * Finds who a caller is by token; without tokens everyone on this machine is `local`, an admin.
 * @throws `Unauthorized`, `TokenExpired`, `IssuerUnavailable`, `Forbidden`
 */
export const identify = (
  tokens: Tokens,
  { presented, headers }: Credentials,
): Identity | Promise<Identity> => {
  if (tokens.areRequired) return tokens.identify(presented, Date.now())
  checkLocalRequest(headers)
  return local
}

/** The actor that the record names; `address` is the door and the address of the caller, and who vouches for the name follows. */
export const actorOf = ({ name, issuer }: Identity, address: string, reason: string | undefined): Actor => {
  const origin = issuer === undefined ? address : `${address} by ${issuer}`
  return cleanActor(reason === undefined ? { name, origin } : { name, origin, reason })
}

/**
 * Refuses what another site's page makes a browser send to an API without tokens: cross-site requests, and
 * host names rebound to this machine. Errors: `Forbidden`.
 */
export const checkLocalRequest = (headers: Headers): void => {
  const { host = 'localhost', origin, 'sec-fetch-site': site } = headers
  const from = origin === undefined ? undefined : urlOf(origin)
  // A page of another port is another site. Browsers say so, but for old ones, which send the page's origin alone.
  const isOwn =
    from === undefined
      ? origin === undefined
      : isLoopback(from.hostname) && (site !== undefined || from.host === host)
  const isAsked = site === undefined || site === 'none' || site === 'same-origin'
  if (!isLoopback(host.replace(/:\d+$/, '')) || !isOwn || !isAsked)
    throw new KirokuError(
      'Forbidden',
      'without tokens the API answers this machine only, and no other web site',
    )
}

/**
 * Whether a page in a browser made this request. Over plain HTTP to another machine browsers send only the
 * page's origin, and that with every request that may change something; programs send neither.
 */
export const isFromPage = (headers: Headers): boolean =>
  headers['sec-fetch-site'] === 'same-origin' || headers['origin'] !== undefined

const urlOf = (origin: string): URL | undefined => (URL.canParse(origin) ? new URL(origin) : undefined)
