import { releaseDefault } from './limits.ts'
import { packageNameOf, releaseFile } from './ReleaseArchive.ts'

/** A machine, as far as installing depends on it. */
export interface Machine {
  readonly platform: string
  readonly arch: string
  /** Text of `/etc/os-release`; empty where there is none. */
  readonly osRelease: string
}

/** The one command that installs a nats-server which is new enough on such a machine. */
export const installCommand = (machine: Machine, version: string): string => {
  if (machine.platform === 'darwin') return 'brew install nats-server'
  if (machine.platform === 'win32') return 'winget install NATSAuthors.NATSServer'
  const named = /^ID(?:_LIKE)?=(.*)$/gm
  const families = [...machine.osRelease.matchAll(named)].flatMap(([, names = '']) =>
    names.replaceAll(/["']/g, '').split(' '),
  )
  const is = (...names: ReadonlyArray<string>): boolean => names.some((name) => families.includes(name))
  if (is('alpine')) return 'sudo apk add nats-server'
  if (is('arch')) return 'sudo pacman -S nats-server'
  const address = (kind: 'deb' | 'rpm'): { name: string; url: URL } | undefined => {
    const name = packageNameOf(version, machine.arch, kind)
    return name === undefined ? undefined : { name, url: releaseFile(releaseDefault, version, name) }
  }
  // The packages of these systems' own releases are older than 2.12.
  const deb = is('debian', 'ubuntu') ? address('deb') : undefined
  if (deb !== undefined) return `curl -fLO ${deb.url} && sudo apt install ./${deb.name}`
  const rpm = is('fedora', 'rhel') ? address('rpm') : undefined
  if (rpm !== undefined) return `sudo dnf install ${rpm.url}`
  return `go install github.com/nats-io/nats-server/v2@v${version}`
}
