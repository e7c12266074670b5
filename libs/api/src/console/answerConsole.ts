import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import type { ConsolePages } from './ConsolePages.ts'
import { PageFiles, type Encoding, type PageFile } from './PageFiles.ts'
import { waitingPage } from './waitingPage.ts'

/** A browser's request. */
interface PageRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The console's answer to a path outside the API; undefined: not for the console. */
export type AnswerConsole = (
  request: PageRequest,
) => Promise<HttpServerResponse.HttpServerResponse | undefined>

/** The page loads nothing from elsewhere, and no other page may frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Paths for programs, where an unknown one is answered as by the API. */
const notPages = /^\/(v1|docs|health|metrics|assets)(\/|$)/

/** Serves the console's files, and its one page for every path that a browser may open. */
export const consoleAnswers = ({ folder, missing }: ConsolePages): AnswerConsole => {
  const files = new PageFiles(folder)
  return async ({ method, url, headers }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const path = url.split(/[?#]/, 1)[0]!
    const encoding = encodingOf(headers['accept-encoding'] ?? '')
    if (path.startsWith('/assets/')) {
      const file = await files.asset(path.slice('/assets/'.length), encoding)
      return file && respond(file, 'public, max-age=31536000, immutable')
    }
    const isPage = !notPages.test(path) && (headers['accept'] ?? '').includes('text/html')
    if (path !== '/' && !isPage) return undefined
    const page = await files.index(encoding)
    if (page !== undefined) return respond(page, 'no-cache')
    const { body, ...answer } = waitingPage(missing())
    return HttpServerResponse.text(body, answer)
  }
}

const respond = ({ bytes, contentType, encoding }: PageFile, caching: string) =>
  HttpServerResponse.uint8Array(bytes, {
    contentType,
    headers: {
      'content-security-policy': policy,
      'cache-control': caching,
      vary: 'accept-encoding',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    },
  })

/** The best encoding that the browser accepts. */
const encodingOf = (accepted: string): Encoding => {
  const takes = (name: string): boolean =>
    accepted.split(',').some((each) => {
      const [encoding, ...params] = each.split(';').map((part) => part.trim())
      return encoding === name && !params.some((param) => /^q=0(\.0*)?$/.test(param))
    })
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity'
}
