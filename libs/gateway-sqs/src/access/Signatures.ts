import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import { SqsError } from '../SqsError.ts'
import { nobody, type Caller } from './Caller.ts'
import type { Keys } from './Keys.ts'

/** What of a request is signed. */
export interface Signed {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** What a caller signs with, and which headers: the same in all of its requests of a day. */
interface Signer {
  readonly keyId: string
  readonly day: string
  readonly region: string
  readonly service: string
  readonly headers: readonly string[]
}

/** What a caller says about a signature. */
interface Claim extends Signer {
  readonly date: string
  readonly signature: string
  /** The text of its signer, to be remembered if the signature is right; undefined: it is not, or was. */
  readonly newSigner?: string | undefined
  /** In the query string: for how long it holds, in s. */
  readonly expiresSeconds?: number
}

const algorithm = 'AWS4-HMAC-SHA256'
const signatureLast = ', Signature='
const skewMs = 15 * 60_000
const expiresSecondsMax = 604_800
const unsignedPayload = 'UNSIGNED-PAYLOAD'
const noQuery = new URLSearchParams()
/** Signing keys, and signers, that are remembered. */
const rememberedMax = 1_000

/** Checks signatures of version 4, in the header and in the query string. */
export class Signatures {
  readonly #keys: Keys
  readonly #account: string
  readonly #derived = new Map<string, KeyObject>()
  /** By their texts in the header. */
  readonly #signers = new Map<string, Signer>()

  /** @param account of keys that say none */
  constructor(keys: Keys, account: string) {
    this.#keys = keys
    this.#account = account
  }

  /**
   * Who signed a request; `nobody` where it has no signature. A key that is not known is told like a signature that is wrong, after the same work.
   * `nowMs` is in ms since 1970. Errors: `IncompleteSignature`, `SignatureDoesNotMatch`.
   */
  identify(request: Signed, nowMs: number): Caller {
    const search = splitOnce(request.url, '?')[1]
    const query = search === '' ? noQuery : new URLSearchParams(search)
    if (request.headers['authorization'] === undefined && !query.get('X-Amz-Signature')) return nobody
    const claim = this.#claimOf(request, query)
    checkTime(claim, nowMs)
    checkHeaders(claim, request)
    const key = this.#keys.get(claim.keyId)
    const expected = Buffer.from(this.#sign(key?.secret ?? '', claim, canonicalOf(claim, request, query)))
    const given = Buffer.from(claim.signature.toLowerCase())
    const isRight = given.length === expected.length && timingSafeEqual(given, expected)
    if (key === undefined || !isRight) throw mismatch()
    if (claim.newSigner !== undefined) remember(this.#signers, claim.newSigner, claim)
    return { name: key.name, grants: key.grants, account: key.account ?? this.#account, keyId: key.id }
  }

  #claimOf({ headers }: Signed, query: URLSearchParams): Claim {
    const authorization = textOf(headers['authorization'])
    if (authorization === undefined) return claimOfQuery(query)
    const date = textOf(headers['x-amz-date']) ?? ''
    // Clients name the signature last, behind what is the same in all requests of a day.
    const end = authorization.lastIndexOf(signatureLast)
    const signature = authorization.slice(end + signatureLast.length)
    if (end < 0 || signature.includes(',')) return { ...readAuthorization(authorization), date }
    const signer = authorization.slice(0, end)
    const known = this.#signers.get(signer)
    if (known !== undefined) return { ...known, date, signature, newSigner: undefined }
    return { ...readAuthorization(authorization), date, newSigner: signer }
  }

  /** In hexadecimal digits: Node makes these sooner than bytes. */
  #sign(secret: string, { day, region, service, date }: Claim, canonical: string): string {
    const scope = `${day}/${region}/${service}/aws4_request`
    const cached = `${scope} ${secret}`
    let key = this.#derived.get(cached)
    if (key === undefined) {
      key = [day, region, service, 'aws4_request'].reduce<KeyObject>(
        (before, part) => createSecretKey(hmac(before, part), 'hex'),
        createSecretKey(`AWS4${secret}`, 'utf8'),
      )
      if (secret !== '') remember(this.#derived, cached, key)
    }
    return hmac(key, [algorithm, date, scope, sha256(canonical)].join('\n'))
  }
}

const mismatch = (): SqsError =>
  new SqsError(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  )

const incomplete = (what: string): SqsError =>
  new SqsError('IncompleteSignature', `The signature of the request is incomplete: ${what}.`)

const remember = <V>(values: Map<string, V>, name: string, value: V): void => {
  if (values.size >= rememberedMax) values.clear()
  values.set(name, value)
}

/** Errors: `IncompleteSignature`. */
const readAuthorization = (text: string): Signer & Pick<Claim, 'signature'> => {
  const [scheme, rest = ''] = splitOnce(text, ' ')
  if (scheme !== algorithm) throw incomplete(`the algorithm is not ${algorithm}`)
  const parts = new Map(rest.split(',').map((part) => splitOnce(part.trim(), '=')))
  return {
    ...signerOf(parts.get('Credential'), parts.get('SignedHeaders')),
    signature: parts.get('Signature') ?? '',
  }
}

const claimOfQuery = (query: URLSearchParams): Claim => {
  const of = (name: string): string => query.get(`X-Amz-${name}`) ?? ''
  if (of('Algorithm') !== algorithm) throw incomplete(`the algorithm is not ${algorithm}`)
  const expiresSeconds = Number(of('Expires'))
  if (!(expiresSeconds >= 1 && expiresSeconds <= expiresSecondsMax))
    throw incomplete(`X-Amz-Expires must be from 1 to ${expiresSecondsMax}`)
  return {
    ...signerOf(of('Credential'), of('SignedHeaders')),
    date: of('Date'),
    signature: of('Signature'),
    expiresSeconds,
  }
}

const splitOnce = (text: string, by: string): [string, string] => {
  const at = text.indexOf(by)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const signerOf = (credential = '', headers = ''): Signer => {
  const [keyId = '', day = '', region = '', service = '', end = ''] = credential.split('/')
  if (end !== 'aws4_request' || service !== 'sqs' || !/^\d{8}$/.test(day))
    throw incomplete('Credential is not KEY/DATE/REGION/sqs/aws4_request')
  return { keyId, day, region, service, headers: headers.split(';') }
}

/** Errors: `SignatureDoesNotMatch`. */
const checkTime = ({ date, day, expiresSeconds }: Claim, nowMs: number): void => {
  const atMs = timeOf(date)
  if (atMs === undefined || !date.startsWith(day)) throw incomplete('its date is missing')
  const lastMs = atMs + (expiresSeconds === undefined ? skewMs : expiresSeconds * 1_000)
  if (nowMs > lastMs || nowMs < atMs - skewMs)
    throw new SqsError(
      'SignatureDoesNotMatch',
      `Signature expired: ${date} is not within the time of ${new Date(nowMs).toISOString()}`,
    )
}

/** The date that was read last: most requests were signed in the same second as the one before. */
let last = { date: '', atMs: undefined as number | undefined }

/** In ms since 1970; undefined: it is no date. */
const timeOf = (date: string): number | undefined => {
  if (date !== last.date) last = { date, atMs: readDate(date) }
  return last.atMs
}

const readDate = (date: string): number | undefined => {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? []
  if (s === undefined) return undefined
  return Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s))
}

/** What decides about a request must be signed: no header counts that was not. Errors: `IncompleteSignature`. */
const checkHeaders = ({ headers: signed, expiresSeconds }: Claim, { headers }: Signed): void => {
  const needed = ['host', 'x-amz-target', ...(expiresSeconds === undefined ? ['x-amz-date'] : [])]
  for (const name of needed)
    if (headers[name] !== undefined && !signed.includes(name)) throw incomplete(`${name} is not signed`)
  if (signed.some((name) => headers[name] === undefined)) throw incomplete('a signed header is missing')
}

const canonicalOf = (
  { headers: signed, expiresSeconds }: Claim,
  { method, url, headers, body }: Signed,
  query: URLSearchParams,
): string => {
  const path = splitOnce(url, '?')[0]
  const given = headers['x-amz-content-sha256']
  const isUnsigned =
    given === unsignedPayload && (expiresSeconds !== undefined || signed.includes('x-amz-content-sha256'))
  return [
    method,
    path === '/' ? path : path.split('/').map(encoded).join('/'),
    query === noQuery ? '' : parametersOf(query),
    ...signed.map((name) => `${name}:${singleSpaced(textOf(headers[name])!.trim())}`),
    '',
    signed.join(';'),
    isUnsigned ? unsignedPayload : sha256(body),
  ].join('\n')
}

const parametersOf = (query: URLSearchParams): string =>
  [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')

const singleSpaced = (text: string): string => (text.includes('  ') ? text.replaceAll(/ +/g, ' ') : text)

/** A header that was sent more than once is signed as one. */
const textOf = (value: string | readonly string[] | undefined): string | undefined =>
  value === undefined ? undefined : String(value)

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** With a key object: of bytes Node finds out by an error thrown and caught that they are none, at every call. */
const hmac = (key: KeyObject, text: string): string => createHmac('sha256', key).update(text).digest('hex')

const sha256 = (text: string): string => hash('sha256', text)
