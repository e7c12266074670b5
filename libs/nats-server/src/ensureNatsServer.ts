import { KirokuError } from '@kiroku/message'
import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fetchFromApt } from './fetchFromApt.ts'
import { versionMinimum } from './limits.ts'
import { compareVersions, isSupported, probe, type NatsBinary } from './NatsBinary.ts'

/** A usable nats-server and where it was found. */
export interface FoundNatsServer extends NatsBinary {
  readonly source: 'NATS_SERVER' | 'PATH' | 'cache' | 'fetched'
}

/** Settings of {@link ensureNatsServer}. */
export interface EnsureOptions {
  /** Told in words what is being done, when something has to be fetched. */
  readonly onProgress?: (what: string) => void
  /** The environment to look into (`NATS_SERVER`, `PATH`, `XDG_CACHE_HOME`). */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const howToInstall =
  `Install nats-server ${versionMinimum} or newer and put it on PATH, or set NATS_SERVER to its path: ` +
  'macOS `brew install nats-server`; with Go `go install github.com/nats-io/nats-server/v2@latest`; ' +
  'otherwise the archive for your system on the releases page of github.com/nats-io/nats-server. ' +
  'On Debian with apt and the package debian-archive-keyring Kiroku fetches it by itself.'

/** Our own folder of fetched versions. */
const cacheFolderOf = (env: NonNullable<EnsureOptions['env']>): string =>
  join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'kiroku', 'nats-server')

const newestCached = async (cacheFolder: string): Promise<NatsBinary | undefined> => {
  const names = await readdir(cacheFolder).catch(() => [])
  const versions = names.filter((name) => /^\d+\.\d+\.\d+/.test(name) && isSupported(name))
  for (const version of versions.sort(compareVersions).reverse()) {
    const found = await probe(join(cacheFolder, version, 'nats-server'))
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Finds a nats-server that is new enough: `NATS_SERVER`, then PATH, then our cache; where there is none it is
 * fetched into the cache with the machine's own apt.
 *
 * @throws KirokuError `NatsTooOld` when `NATS_SERVER` names an old one, or only an old one is there and none can be
 *   fetched; `NatsServerMissing` when there is none and none can be fetched. Both say what to install.
 */
export const ensureNatsServer = async (options: EnsureOptions = {}): Promise<FoundNatsServer> => {
  const env = options.env ?? process.env
  const chosen = env['NATS_SERVER']
  if (chosen !== undefined && chosen !== '') {
    const found = await probe(resolve(chosen))
    if (found === undefined)
      throw new KirokuError(
        'NatsServerMissing',
        `NATS_SERVER names ${chosen}, which is not a nats-server that runs on this machine. ${howToInstall}`,
      )
    if (!isSupported(found.version))
      throw new KirokuError(
        'NatsTooOld',
        `NATS_SERVER names ${chosen}, which is nats-server ${found.version}. ${howToInstall}`,
      )
    return { ...found, source: 'NATS_SERVER' }
  }
  let tooOld: NatsBinary | undefined
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter((name) => name !== '')) {
    const found = await probe(resolve(folder, 'nats-server'))
    if (found !== undefined && isSupported(found.version)) return { ...found, source: 'PATH' }
    tooOld ??= found
  }
  const cacheFolder = cacheFolderOf(env)
  const cached = await newestCached(cacheFolder)
  if (cached !== undefined) return { ...cached, source: 'cache' }
  try {
    return { ...(await fetchFromApt(cacheFolder, options.onProgress ?? (() => {}))), source: 'fetched' }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw tooOld === undefined
      ? new KirokuError('NatsServerMissing', `There is no nats-server here, and ${reason}. ${howToInstall}`, {
          cause,
        })
      : new KirokuError(
          'NatsTooOld',
          `${tooOld.path} is nats-server ${tooOld.version}, and ${reason}. ${howToInstall}`,
          { cause },
        )
  }
}
