import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, dirname, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { KirokuError } from '@kiroku/protocol'
import { executable, isSupported, probe, type NatsBinary } from './NatsBinary.ts'
import { cacheFolderOf, newestCached } from './NatsCache.ts'
import { fetchFromApt } from './fetchFromApt.ts'
import { fetchRelease } from './fetchRelease.ts'
import { installCommand } from './installCommand.ts'
import { releaseDefault, versionFetched, versionMinimum } from './limits.ts'
import { takeLock } from './takeLock.ts'

/** A usable nats-server and where it was found. */
export interface FoundNatsServer extends NatsBinary {
  readonly source: 'NATS_SERVER' | 'PATH' | 'cache' | 'fetched'
}

/** Settings of {@link ensureNatsServer}. */
export interface EnsureOptions {
  /**
   * Folder of the release to fetch: an http, https or file address or a path, in which `{version}` stands for the
   * version. `KIROKU_NATS_RELEASE` when left out, else the project's own releases.
   */
  readonly release?: string
  /** The version to fetch, and the only one of the cache that will do; `KIROKU_NATS_VERSION` when left out. */
  readonly version?: string
  /** Told in words what is being done, when something has to be fetched. */
  readonly onProgress?: (what: string) => void
  /** Told how many bytes of a download have come, and of how many where the sender says so. */
  readonly onBytes?: (read: number, total: number | undefined) => void
  /** The environment to look into (`NATS_SERVER`, `PATH`, `XDG_CACHE_HOME`, the proxies, the above). */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const osRelease = (): string => {
  try {
    return readFileSync('/etc/os-release', 'utf8')
  } catch {
    return ''
  }
}

const howToInstall = (): string => {
  const { platform, arch } = process
  const command = installCommand({ platform, arch, osRelease: osRelease() }, versionFetched)
  return (
    `Install nats-server ${versionMinimum} or newer: \`${command}\`. ` +
    'Or set NATS_SERVER to the path of one, or KIROKU_NATS_RELEASE to a mirror of its releases.'
  )
}

const readVersion = (text: string): string => {
  const version = text.replace(/^v/, '')
  if (/^\d+\.\d+\.\d+[\w.-]*$/.test(version) && isSupported(version)) return version
  throw new KirokuError(
    'InvalidConfig',
    `"${text}" is not a version of nats-server from ${versionMinimum} on, such as ${versionFetched}`,
  )
}

const lockPollMs = 100

/** Lets one process fetch at a time: those who waited find what the first one has brought. */
const alone = async <T>(
  cacheFolder: string,
  onProgress: (what: string) => void,
  use: () => Promise<T>,
): Promise<T> => {
  await mkdir(dirname(cacheFolder), { recursive: true })
  const file = `${cacheFolder}.lock`
  let unlock = takeLock(file)
  if (unlock === undefined) onProgress('Waiting for another process, which is fetching nats-server')
  while (unlock === undefined) {
    await pause(lockPollMs)
    unlock = takeLock(file)
  }
  try {
    return await use()
  } finally {
    unlock()
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface Wanted {
  readonly release: string
  /** The version that was asked for by name. */
  readonly version: string | undefined
}

/** Tries the ways to a server one after another. Throws an Error with the reasons of all. */
const fetchAny = async (
  cacheFolder: string,
  { release, version }: Wanted,
  env: NonNullable<EnsureOptions['env']>,
  { onBytes, onProgress = () => {} }: EnsureOptions,
): Promise<FoundNatsServer> =>
  alone(cacheFolder, onProgress, async () => {
    const cached = await newestCached(cacheFolder, version)
    if (cached !== undefined) return { ...cached, source: 'cache' }
    const ways = [
      () =>
        fetchRelease(cacheFolder, {
          release,
          version: version ?? versionFetched,
          env,
          onProgress,
          ...(onBytes === undefined ? {} : { onBytes }),
        }),
      // Debian has one version, which is hardly the one that was asked for.
      ...(version === undefined ? [() => fetchFromApt(cacheFolder, onProgress)] : []),
    ]
    const reasons: string[] = []
    for (const way of ways)
      try {
        return { ...(await way()), source: 'fetched' }
      } catch (error) {
        reasons.push(reasonOf(error))
        onProgress(reasonOf(error))
      }
    throw new Error(reasons.join('; '))
  })

/**
 * Finds a nats-server that is new enough: `NATS_SERVER`, then PATH, then our cache. Where there is none it is fetched
 * into the cache: the archive of the release, checked against the release's own checksums, else Debian's package with
 * the machine's own apt.
 *
 * @throws KirokuError `InvalidConfig` for a version that is none; `NatsTooOld` when `NATS_SERVER` names an old one, or only an old one is there and none can be
 *   fetched; `NatsServerMissing` when there is none and none can be fetched. Both say what to install.
 */
export const ensureNatsServer = async (options: EnsureOptions = {}): Promise<FoundNatsServer> => {
  const env = options.env ?? process.env
  const release = options.release ?? (env['KIROKU_NATS_RELEASE'] || releaseDefault)
  const named = options.version ?? (env['KIROKU_NATS_VERSION'] || undefined)
  const version = named === undefined ? undefined : readVersion(named)
  const chosen = env['NATS_SERVER']
  if (chosen !== undefined && chosen !== '') {
    const found = await probe(resolve(chosen))
    if (found === undefined)
      throw new KirokuError(
        'NatsServerMissing',
        `NATS_SERVER names ${chosen}, which is not a nats-server that runs on this machine. ${howToInstall()}`,
      )
    if (!isSupported(found.version))
      throw new KirokuError(
        'NatsTooOld',
        `NATS_SERVER names ${chosen}, which is nats-server ${found.version}. ${howToInstall()}`,
      )
    return { ...found, source: 'NATS_SERVER' }
  }
  let tooOld: NatsBinary | undefined
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter((name) => name !== '')) {
    const found = await probe(resolve(folder, executable))
    if (found !== undefined && isSupported(found.version)) return { ...found, source: 'PATH' }
    tooOld ??= found
  }
  const cacheFolder = cacheFolderOf(env)
  const cached = await newestCached(cacheFolder, version)
  if (cached !== undefined) return { ...cached, source: 'cache' }
  try {
    return await fetchAny(cacheFolder, { release, version }, env, options)
  } catch (cause) {
    const reason = `none could be fetched: ${reasonOf(cause)}. ${howToInstall()}`
    throw tooOld === undefined
      ? new KirokuError('NatsServerMissing', `There is no nats-server here, and ${reason}`, { cause })
      : new KirokuError('NatsTooOld', `${tooOld.path} is nats-server ${tooOld.version}, and ${reason}`, {
          cause,
        })
  }
}
