/** An error answer of the engine. `help` says what to do. */
export class ApiError extends Error {
  readonly id: string
  readonly help: string
  readonly retryable: boolean
  readonly status: number

  constructor(id: string, message: string, help: string, retryable: boolean, status: number) {
    super(message)
    this.id = id
    this.help = help
    this.retryable = retryable
    this.status = status
  }
}

const tokenKey = 'kiroku.token'

/** The token that this tab presents; kept until the tab is closed, and never in the URL. */
export const presentedToken = (): string | null => sessionStorage.getItem(tokenKey)

/** Presents another token from now on. */
export const presentToken = (token: string | undefined): void =>
  token === undefined ? sessionStorage.removeItem(tokenKey) : sessionStorage.setItem(tokenKey, token)

/** Values of a query; those that are undefined or empty are left out. */
export type Params = Readonly<Record<string, string | number | undefined>>

/** A path with a query. */
export const urlOf = (path: string, params: Params = {}): string => {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length === 0 ? path : `${path}?${query.toString()}`
}

/** Asks the engine. Errors: `ApiError`, with the id `Unreachable` when the engine does not answer. */
export const request = (path: string, init: RequestInit = {}): Promise<Response> =>
  requestAs(presentedToken(), path, init)

/** The same with a given token: workers have no storage. */
export const requestAs = async (
  token: string | null,
  path: string,
  init: RequestInit = {},
): Promise<Response> => {
  const headers = new Headers(init.headers)
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  let response: Response
  try {
    response = await fetch(path, { ...init, headers, cache: 'no-store' })
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause
    throw new ApiError('Unreachable', 'the engine does not answer', 'Check that it still runs.', true, 0)
  }
  if (response.ok) return response
  const said = (await response.json().catch(() => ({}))) as Partial<ApiError>
  throw new ApiError(
    said.id ?? 'Internal',
    said.message ?? `the engine answered ${response.status}`,
    said.help ?? '',
    said.retryable ?? response.status >= 500,
    response.status,
  )
}

/** Reads something. Errors: `ApiError`. */
export const get = async <A>(path: string, params?: Params, signal?: AbortSignal): Promise<A> => {
  const response = await request(urlOf(path, params), signal === undefined ? {} : { signal })
  return (await response.json()) as A
}

/** A change, and why. */
export interface Command {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** Recorded with the change. */
  readonly reason?: string
}

/** Changes something. Errors: `ApiError`. */
export const send = async <A>({ method, path, body, reason }: Command): Promise<A> => {
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (reason !== undefined && reason !== '') headers['x-kiroku-reason'] = encodeReason(reason)
  const response = await request(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (response.status === 204 ? undefined : await response.json()) as A
}

/** Headers carry Latin-1 only; other characters become question marks rather than an error. */
const encodeReason = (reason: string): string => reason.replace(/[^\x20-\x7e\xa0-\xff]/g, '?').trim()
