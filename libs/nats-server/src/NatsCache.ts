import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compareVersions, executable, isSupported, probe, type NatsBinary } from './NatsBinary.ts'
import { userCacheFolder } from './userCacheFolder.ts'

const abandonedAfterMs = 3_600_000

/** Our own folder of fetched versions: `<version>/nats-server`. */
export const cacheFolderOf = (env: Readonly<Record<string, string | undefined>>): string =>
  join(userCacheFolder(env), 'nats-server')

/** The newest server of the cache that is new enough and runs, or the one of `version` alone where that is given. */
export const newestCached = async (
  cacheFolder: string,
  version: string | undefined,
): Promise<NatsBinary | undefined> => {
  const names = await readdir(cacheFolder).catch(() => [])
  const versions = names.filter(
    (name) => /^\d+\.\d+\.\d+/.test(name) && isSupported(name) && (version === undefined || name === version),
  )
  for (const name of versions.sort(compareVersions).reverse()) {
    const found = await probe(join(cacheFolder, name, executable))
    if (found !== undefined) return found
  }
  return undefined
}

/** Moves a binary into the cache in one step, so that nobody ever sees half of it. */
const install = async (fetched: NatsBinary, cacheFolder: string): Promise<NatsBinary> => {
  const path = join(cacheFolder, fetched.version, executable)
  await mkdir(dirname(path), { recursive: true })
  await rename(fetched.path, path)
  return { path, version: fetched.version }
}

const removeAbandoned = async (cacheFolder: string): Promise<void> => {
  for (const name of await readdir(cacheFolder)) {
    if (!name.startsWith('.fetch-')) continue
    const found = await stat(join(cacheFolder, name)).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs)
      await rm(join(cacheFolder, name), { recursive: true, force: true })
  }
}

/**
 * Brings a server into the cache: `fetch` leaves one somewhere in the folder that it is given, and returns its path.
 *
 * @param version what it has to be, where that is known
 * @throws Error when it does not run here, is too old or another version, and what `fetch` throws; the cache is then
 *   as it was
 */
export const addToCache = async (
  cacheFolder: string,
  fetch: (work: string) => Promise<string>,
  version?: string,
): Promise<NatsBinary> => {
  await mkdir(cacheFolder, { recursive: true })
  await removeAbandoned(cacheFolder)
  const work = await mkdtemp(join(cacheFolder, '.fetch-'))
  try {
    const fetched = await probe(await fetch(work))
    if (fetched === undefined) throw new Error('the fetched nats-server does not run on this machine')
    if (version !== undefined && fetched.version !== version)
      throw new Error(`the fetched nats-server is ${fetched.version}, not ${version}`)
    if (!isSupported(fetched.version)) throw new Error(`there is only nats-server ${fetched.version}`)
    return await install(fetched, cacheFolder)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
