import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { parseTar } from 'nanotar'
import { serverBytesMax } from './limits.ts'
import { executable } from './NatsBinary.ts'

const isServer = (name: string): boolean => name.split('/').at(-1) === executable

const unzip = (archive: Uint8Array): Uint8Array | undefined =>
  Object.values(
    unzipSync(archive, {
      filter: ({ name, originalSize }) => {
        if (originalSize > serverBytesMax) throw new RangeError(`${name} is too large`)
        return isServer(name)
      },
    }),
  )[0]

const untar = (archive: Uint8Array): Uint8Array | undefined => {
  const tar = gunzipSync(archive, { maxOutputLength: serverBytesMax })
  // The parser takes the memory below a view for the whole of it.
  const whole = tar.buffer.slice(tar.byteOffset, tar.byteOffset + tar.byteLength) as ArrayBuffer
  return parseTar(whole, { filter: ({ name, type }) => type === 'file' && isServer(name) })[0]?.data
}

/**
 * The server out of a release's archive. Nothing is written, so what else an archive holds, and under which paths,
 * does not matter.
 *
 * @param name of the archive; its end says what it is
 * @throws Error when it is broken, too large, or holds no server
 */
export const unpackServer = (archive: Uint8Array, name: string): Uint8Array => {
  let server: Uint8Array | undefined
  try {
    server = name.endsWith('.zip') ? unzip(archive) : untar(archive)
  } catch (cause) {
    throw new Error(`${name} cannot be unpacked`, { cause })
  }
  if (server === undefined) throw new Error(`${name} holds no ${executable}`)
  return server
}
