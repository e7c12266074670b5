import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archiveBytesMax, checksumsBytesMax } from './limits.ts'
import { executable, type NatsBinary } from './NatsBinary.ts'
import { addToCache } from './NatsCache.ts'
import { readAddress, type ReadOptions } from './readAddress.ts'
import { pinnedArchives } from './pinnedArchives.ts'
import { archiveNameOf, checksumOf, checksumsName, releaseFile } from './ReleaseArchive.ts'
import { unpackServer } from './unpackServer.ts'

/** A release of nats-server, and who shall hear how its download goes. */
export interface ReleaseOptions extends Pick<ReadOptions, 'env' | 'onBytes'> {
  /** Folder of the release: an http, https or file address or a path; `{version}` stands for the version. */
  readonly release: string
  readonly version: string
  readonly onProgress: (what: string) => void
}

/**
 * Fetches a release of nats-server into the cache, checked against the digest that is known of it, or else against the
 * checksums of the release.
 *
 * @throws Error with the reason in words, when there is none for this machine, it cannot be had, or is not what the
 *   release says it is
 */
export const fetchRelease = async (cacheFolder: string, options: ReleaseOptions): Promise<NatsBinary> => {
  const { release, version, env, onBytes, onProgress } = options
  const name = archiveNameOf(version, process.platform, process.arch)
  if (name === undefined)
    throw new Error(`nats-server is not released for ${process.platform} on ${process.arch}`)
  const address = releaseFile(release, version, name)
  onProgress(`Fetching nats-server ${version} from ${address.host || address.pathname}`)
  const fetch = async (work: string): Promise<string> => {
    const pinned = pinnedArchives[name]
    const expected = pinned ?? (await releasedChecksum(name, options))
    const archive = await readAddress(address, {
      env,
      bytesMax: archiveBytesMax,
      ...(onBytes === undefined ? {} : { onBytes }),
    })
    if (createHash('sha256').update(archive).digest('hex') !== expected)
      throw new Error(
        pinned === undefined
          ? `${name} is not what ${checksumsName} of the release says`
          : `${name} is not the file that Kiroku expects: its SHA-256 is not ${pinned}`,
      )
    const path = join(work, executable)
    await writeFile(path, unpackServer(archive, name), { mode: 0o755, flag: 'wx', flush: true })
    return path
  }
  return addToCache(cacheFolder, fetch, version)
}

/** What the release itself says that an archive has to hash to. */
const releasedChecksum = async (name: string, { release, version, env }: ReleaseOptions): Promise<string> => {
  const bytesMax = checksumsBytesMax
  const checksums = await readAddress(releaseFile(release, version, checksumsName), { env, bytesMax })
  const expected = checksumOf(checksums.toString(), name)
  if (expected === undefined) throw new Error(`${checksumsName} of the release does not name ${name}`)
  return expected
}
