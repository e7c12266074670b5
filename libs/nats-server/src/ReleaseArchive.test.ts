import { describe, expect, test } from 'vitest'
import { archiveNameOf, checksumOf, releaseFile } from './ReleaseArchive.ts'

describe('the archive of a release', () => {
  test.each([
    ['linux', 'x64', 'nats-server-v2.15.1-linux-amd64.tar.gz'],
    ['linux', 'arm64', 'nats-server-v2.15.1-linux-arm64.tar.gz'],
    ['darwin', 'arm64', 'nats-server-v2.15.1-darwin-arm64.tar.gz'],
    ['win32', 'x64', 'nats-server-v2.15.1-windows-amd64.zip'],
    ['sunos', 'x64', undefined],
    ['linux', 'mips', undefined],
  ])('for %s on %s is %s', (platform, arch, name) => {
    expect(archiveNameOf('2.15.1', platform, arch)).toBe(name)
  })
})

describe('a file of a release', () => {
  test.each([
    ['https://mirror.example/nats/v{version}', 'https://mirror.example/nats/v2.15.1/SHA256SUMS'],
    ['https://mirror.example/nats/', 'https://mirror.example/nats/SHA256SUMS'],
    ['file:///srv/nats', 'file:///srv/nats/SHA256SUMS'],
    ['/srv/nats v{version}', 'file:///srv/nats%20v2.15.1/SHA256SUMS'],
  ])('of %s lies at %s', (release, address) => {
    expect(releaseFile(release, '2.15.1', 'SHA256SUMS').href).toBe(address)
  })

  test('an address that is none is named', () => {
    expect(() => releaseFile('https://', '2.15.1', 'SHA256SUMS')).toThrow('https:// is not an address')
  })
})

describe('a checksum', () => {
  const hash = 'AB'.repeat(32)
  test('is that of the whole name', () => {
    const list = `${'cd'.repeat(32)}  a.tar.gz.sig\n${hash}  a.tar.gz\r\n`
    expect(checksumOf(list, 'a.tar.gz')).toBe(hash.toLowerCase())
  })

  test.each(['', `${hash}  b.tar.gz\n`, `${hash.slice(2)}  a.tar.gz\n`, '<html>a.tar.gz</html>'])(
    'is none in %j',
    (list) => {
      expect(checksumOf(list, 'a.tar.gz')).toBeUndefined()
    },
  )
})
