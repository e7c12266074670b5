import { readFile, stat } from 'node:fs/promises'
import * as http from 'node:http'
import * as https from 'node:https'
import { answerTimeoutMs, redirectsMax, stallTimeoutMs } from './limits.ts'

/** Settings of {@link readAddress}. */
export interface ReadOptions {
  /** More is refused. */
  readonly bytesMax: number
  /** The environment, for `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Told how many bytes have been read, and of how many where the sender says so. */
  readonly onBytes?: (read: number, total: number | undefined) => void
}

/** An address as errors name it: without a user, a password, or what a redirect signs. */
const named = (url: URL): string => (url.protocol === 'file:' ? url.pathname : url.host + url.pathname)

const seconds = (ms: number): string => `${ms / 1_000} s`

const tooLarge = (url: URL, bytesMax: number): Error =>
  new Error(`${named(url)} is larger than ${bytesMax} bytes`)

const ask = (url: URL, env: ReadOptions['env']): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { Agent, get } = url.protocol === 'https:' ? https : http
    const request = get(url, { agent: new Agent({ proxyEnv: env }) })
    const late = setTimeout(
      () => request.destroy(new Error(`${url.host} did not answer within ${seconds(answerTimeoutMs)}`)),
      answerTimeoutMs,
    )
    request.once('response', (response) => {
      clearTimeout(late)
      resolve(response)
    })
    request.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late)
      reject(
        error.code === undefined
          ? error
          : new Error(`${url.host} cannot be reached (${error.code})`, { cause: error }),
      )
    })
  })

const follow = async (first: URL, env: ReadOptions['env']): Promise<http.IncomingMessage> => {
  let url = first
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const response = await ask(url, env)
    const { statusCode = 0 } = response
    const { location } = response.headers
    if (statusCode < 300 || statusCode > 399 || location === undefined) {
      if (statusCode === 200) return response
      response.destroy()
      throw new Error(`${named(url)} answered ${statusCode}`)
    }
    response.destroy()
    const next = new URL(location, url)
    if (next.protocol !== 'https:' && (next.protocol !== 'http:' || url.protocol === 'https:'))
      throw new Error(`${named(url)} redirects to an address that is not encrypted`)
    url = next
  }
  throw new Error(`${named(first)} redirects more than ${redirectsMax} times`)
}

const download = async (url: URL, { env, bytesMax, onBytes }: ReadOptions): Promise<Buffer> => {
  const response = await follow(url, env)
  const total = Number(response.headers['content-length'] ?? Number.NaN)
  const stalled = setTimeout(
    () => response.destroy(new Error(`${url.host} sent nothing for ${seconds(stallTimeoutMs)}`)),
    stallTimeoutMs,
  )
  let read = 0
  try {
    if (total > bytesMax) throw tooLarge(url, bytesMax)
    const pieces: Buffer[] = []
    for await (const piece of response as AsyncIterable<Buffer>) {
      stalled.refresh()
      pieces.push(piece)
      read += piece.length
      if (read > bytesMax) throw tooLarge(url, bytesMax)
      onBytes?.(read, Number.isNaN(total) ? undefined : total)
    }
    return Buffer.concat(pieces)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ECONNRESET'
      ? new Error(`${named(url)} was cut off after ${read} bytes`, { cause: error })
      : error
  } finally {
    clearTimeout(stalled)
    response.destroy()
  }
}

/**
 * Everything that lies at an address: `file:`, `https:`, or `http:` where the address says so. Redirects are followed,
 * but never out of encryption.
 *
 * @throws Error with the reason in words
 */
export const readAddress = async (url: URL, options: ReadOptions): Promise<Buffer> => {
  switch (url.protocol) {
    case 'file:': {
      const { size } = await stat(url).catch(() => {
        throw new Error(`${named(url)} is not there`)
      })
      if (size > options.bytesMax) throw tooLarge(url, options.bytesMax)
      return readFile(url)
    }
    case 'http:':
    case 'https:':
      return download(url, options)
    default:
      throw new Error(`${url.protocol} addresses cannot be read`)
  }
}
