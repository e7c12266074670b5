import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { waitingPage } from '@kiroku/api'
import {
  type Certificate,
  checkBind,
  httpLimitsDefault,
  limitedServer,
  listenError,
  Tokens,
} from '@kiroku/doors'
import { requireEntries } from '@kiroku/nats-server/own-entries'
import { KirokuError } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'
import type { HttpAddress } from './HttpAddress.ts'
import { followCertificate, readCertificate, type CertificateSettings } from './certificateOf.ts'
import { issuerOf, type IssuerSettings } from './issuerOf.ts'
import type { Logger } from './Logger.ts'
import { followTokens, readTokens } from './tokensOf.ts'
import { whoListens } from './whoListens.ts'

/** What an engine checks before it touches NATS: its tokens and certificate, and the reserved address. */
export interface KeptAddress {
  readonly tokens: Tokens
  /** Absent: the API speaks plain HTTP. */
  readonly certificate?: Certificate
  /** Takes tokens and certificate again whenever their files change. Returns the function that stops it. */
  readonly follow: (logger: Logger) => () => void
  /** Where the API will listen; undefined: nowhere. */
  readonly address: HttpAddress | undefined
  /** Preferred addresses that are taken, and what listens there. */
  readonly taken: readonly { readonly address: HttpAddress; readonly by: string }[]
  /** Says what the start waits for, to those who ask for its health. */
  readonly waitsFor: (reason: string) => void
  /** Releases the address, right before the API takes it, or instead. */
  readonly release: () => Promise<void>
}

/**
 * Checks data folder, tokens, certificate and addresses, tried in order, and reserves the first free address: browsers
 * that open it meanwhile are asked to wait. So wrong settings are found before partitions move to this
 * engine. Errors: `InvalidConfig`, `TokenRequired`, `PortInUse`, `InvalidArgument`.
 */
export const keepAddress = async (
  settings: Pick<Settings, 'tokens' | 'tokensFile' | 'dataDir'> & CertificateSettings & IssuerSettings,
  addresses: readonly HttpAddress[],
): Promise<KeptAddress> => {
  const issuer = issuerOf(settings)
  const tokens = new Tokens(await readTokens(settings), issuer)
  for (const { host } of addresses) checkBind(host, tokens)
  const certificate = await readCertificate(settings)
  const checked = {
    tokens,
    ...(certificate === undefined ? {} : { certificate }),
    follow: (logger: Logger) => {
      issuer?.begin((error) =>
        logger('warn', 'keys of the issuer not read; those known before hold', { error }),
      )
      const stops = [followTokens(tokens, settings, logger), followCertificate(certificate, settings, logger)]
      return () => stops.forEach((stop) => stop())
    },
  }
  checkFolder(settings.dataDir)
  const taken: { address: HttpAddress; by: string }[] = []
  for (const address of addresses)
    try {
      return { ...checked, taken, address, ...(await keep(address, certificate)) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw listenError(error, address)
      taken.push({ address, by: await whoListens(address) })
    }
  const last = taken.at(-1)
  if (last === undefined)
    return { ...checked, taken, address: undefined, waitsFor: () => {}, release: () => Promise.resolve() }
  const { host, port } = last.address
  throw new KirokuError('PortInUse', `port ${port} of ${host} is taken by ${last.by}`)
}

/** Listens on an address until it is released; a port that the system chooses cannot be taken and is only tried. */
const keep = async (
  { host, port }: HttpAddress,
  certificate: Certificate | undefined,
): Promise<Pick<KeptAddress, 'waitsFor' | 'release'>> => {
  let reason = 'starting'
  const { body, status, headers, contentType } = waitingPage({
    why: 'Starting the engine. This page loads by itself when it is ready.',
    soon: true,
  })
  const health = (): Readonly<Record<string, [status: number, said: object]>> => ({
    '/health/live': [200, { status: 'live' }],
    '/health/ready': [503, { status: 'not ready', reason }],
  })
  const server = limitedServer(httpLimitsDefault, () => {}, certificate)
  server.on('request', ({ url = '' }, response) => {
    const [code, said] = health()[url] ?? []
    if (code === undefined)
      response.writeHead(status, { ...headers, 'content-type': contentType, connection: 'close' }).end(body)
    else
      response
        .writeHead(code, { 'content-type': 'application/json', connection: 'close' })
        .end(JSON.stringify(said))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const release = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  if (port === 0) await release()
  return { waitsFor: (what) => (reason = what), release }
}

/** What keeps a folder from being written to, by the system's code. */
const folderTroubles: Readonly<Record<string, string>> = {
  EROFS: 'its file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
}

const existing = (folder: string): string => (existsSync(folder) ? folder : existing(dirname(folder)))

const checkFolder = (dataDir: string): void => {
  try {
    // Node says of a folder that cannot be made on a read-only disk that there is none.
    accessSync(existing(dataDir), constants.W_OK)
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    const why = folderTroubles[code] ?? code
    throw new KirokuError('InvalidConfig', `--data-dir: cannot keep data in ${dataDir}: ${why}`, { cause })
  }
  requireEntries(dataDir, { folders: ['audit', 'link', 'nats', 'tails'], files: ['run.json'] })
}
