import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The file that lists what each archive of a release has to hash to. */
export const checksumsName = 'SHA256SUMS'

const systems: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' }
const processors: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** The archive of a release for one machine; undefined where nats-server is not released for such machines. */
export const archiveNameOf = (version: string, platform: string, arch: string): string | undefined => {
  const [system, processor] = [systems[platform], processors[arch]]
  if (system === undefined || processor === undefined) return undefined
  const name = `nats-server-v${version}-${system}-${processor}`
  return platform === 'win32' ? `${name}.zip` : `${name}.tar.gz`
}

/** The package of a release for systems with `deb` or `rpm`; undefined as for archives. */
export const packageNameOf = (version: string, arch: string, kind: 'deb' | 'rpm'): string | undefined =>
  processors[arch] === undefined ? undefined : `nats-server-v${version}-${processors[arch]}.${kind}`

/**
 * Where a file of a release lies.
 *
 * @param release address of the folder of a release (http, https or file) or its path; `{version}` stands for the version
 * @throws Error when the address is none
 */
export const releaseFile = (release: string, version: string, name: string): URL => {
  const folder = release.replaceAll('{version}', version)
  if (!/^[a-z][a-z+.-]+:\/\//i.test(folder)) return pathToFileURL(resolve(folder, name))
  const address = folder.endsWith('/') ? folder : `${folder}/`
  if (!URL.canParse(address)) throw new Error(`${release} is not an address`)
  return new URL(name, address)
}

/** What `name` has to hash to (hexadecimal), as a list in the form of `sha256sum` says; undefined when it says nothing. */
export const checksumOf = (checksums: string, name: string): string | undefined => {
  for (const line of checksums.split('\n')) {
    const found = /^([0-9a-f]{64}) [ *](.+?)\r?$/i.exec(line)
    if (found?.[2] === name) return found[1]?.toLowerCase()
  }
  return undefined
}
