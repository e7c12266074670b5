import { readFile } from 'node:fs/promises'
import { Certificate, checkPair, type CertificatePair } from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'
import type { Logger } from './Logger.ts'
import { followFiles } from './followFiles.ts'

/** Where the certificate of the HTTP API is. */
export type CertificateSettings = Pick<Settings, 'httpTlsCert' | 'httpTlsKey'>

/** How long before its end a certificate is warned of, in ms. */
const soonMs = 7 * 24 * 60 * 60_000

/** How often it is warned of, in ms. */
const warnEveryMs = 12 * 60 * 60_000

/** The certificate of the settings; undefined: the API speaks plain HTTP. Errors: `InvalidConfig`. */
export const readCertificate = async (settings: CertificateSettings): Promise<Certificate | undefined> => {
  const { httpTlsCert, httpTlsKey } = settings
  if (httpTlsCert === undefined && httpTlsKey === undefined) return undefined
  if (httpTlsCert === undefined || httpTlsKey === undefined)
    throw new KirokuError('InvalidConfig', '--http-tls-cert and --http-tls-key belong together')
  return new Certificate(await readPair(httpTlsCert, httpTlsKey))
}

/**
 * Takes the certificate again whenever its files changed; a pair that is wrong or expired changes nothing. Warns before the
 * one that is served ends. Returns the function that stops it.
 */
export const followCertificate = (
  certificate: Certificate | undefined,
  { httpTlsCert, httpTlsKey }: CertificateSettings,
  logger: Logger,
): (() => void) => {
  if (certificate === undefined || httpTlsCert === undefined || httpTlsKey === undefined) return () => {}
  const names = namesOf(httpTlsCert, httpTlsKey)
  const warn = (): void => warnOfEnd(checkPair(certificate.pair, names), httpTlsCert, logger)
  warn()
  const warning = setInterval(warn, warnEveryMs)
  warning.unref()
  const stop = followFiles([httpTlsCert, httpTlsKey], async () => {
    try {
      const pair = await readPair(httpTlsCert, httpTlsKey)
      const until = new Date(checkPair(pair, names).untilMs).toISOString()
      if (Date.parse(until) <= Date.now())
        throw new KirokuError('InvalidConfig', `${names.cert}: the certificate expired at ${until}`)
      certificate.renew(pair)
      logger('info', 'certificate read again', { until })
      warn()
    } catch (error) {
      logger('error', 'certificate not read again; the earlier one holds', { error })
    }
  })
  return () => {
    clearInterval(warning)
    stop()
  }
}

const namesOf = (cert: string, key: string) => ({
  cert: `--http-tls-cert ${cert}`,
  key: `--http-tls-key ${key}`,
})

const readPair = async (certFile: string, keyFile: string): Promise<CertificatePair> => {
  const names = namesOf(certFile, keyFile)
  const pair = { cert: await readPem(names.cert, certFile), key: await readPem(names.key, keyFile) }
  checkPair(pair, names)
  return pair
}

/** Why a file cannot be read, by the system's code. */
const troubles: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the user of the engine may not read it',
  EPERM: 'the user of the engine may not read it',
  EISDIR: 'it is a folder',
}

const readPem = (name: string, file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    throw new KirokuError('InvalidConfig', `${name}: ${troubles[code] ?? code}`, { cause })
  })

const warnOfEnd = ({ untilMs }: { readonly untilMs: number }, file: string, logger: Logger): void => {
  const until = new Date(untilMs).toISOString()
  const leftMs = untilMs - Date.now()
  if (leftMs <= 0) logger('warn', 'the certificate has expired; clients refuse it', { file, until })
  else if (leftMs < soonMs) logger('warn', 'the certificate expires soon', { file, until })
}
