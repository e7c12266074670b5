import { gzipSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import { createTar } from 'nanotar'
import { describe, expect, test } from 'vitest'
import { serverBytesMax } from './limits.ts'
import { executable } from './NatsBinary.ts'
import { unpackServer } from './unpackServer.ts'

const kinds = [
  {
    name: 'release.tar.gz',
    pack: (files: Record<string, string>) =>
      gzipSync(createTar(Object.entries(files).map(([name, data]) => ({ name, data })))),
  },
  {
    name: 'release.zip',
    pack: (files: Record<string, string>) =>
      zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))),
  },
]

describe.each(kinds)('of $name', ({ name, pack }) => {
  test('the server is taken, and nothing beside it', () => {
    const archive = pack({ 'r/README.md': 'read me', [`r/${executable}`]: 'the server', 'r/LICENSE': 'free' })
    expect(Buffer.from(unpackServer(archive, name)).toString()).toBe('the server')
  })

  test('an entry that leads out of the archive is bytes like any other', () => {
    const archive = pack({ '../../etc/profile': 'evil', [`../../bin/${executable}`]: 'the server' })
    expect(Buffer.from(unpackServer(archive, name)).toString()).toBe('the server')
  })

  test('without a server is refused', () => {
    expect(() => unpackServer(pack({ 'r/README.md': 'read me' }), name)).toThrow(
      `${name} holds no ${executable}`,
    )
  })

  test('what is cut off is refused', () => {
    const archive = pack({ [`r/${executable}`]: 'the server'.repeat(1_000) })
    expect(() => unpackServer(archive.subarray(0, archive.length / 2), name)).toThrow(
      `${name} cannot be unpacked`,
    )
  })
})

test('what unpacks to more than a server can be is refused', () => {
  const mebibyte = gzipSync(Buffer.alloc(1024 * 1024))
  const bomb = Buffer.concat([
    ...Array.from({ length: serverBytesMax / (1024 * 1024) }, () => mebibyte),
    gzipSync(Buffer.alloc(1)),
  ])
  expect(() => unpackServer(bomb, 'release.tar.gz')).toThrow('cannot be unpacked')
})
