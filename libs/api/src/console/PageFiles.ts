import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Content encodings of a file. */
export type Encoding = 'br' | 'gzip' | 'identity'

/** A file as sent. */
export interface PageFile {
  readonly contentType: string
  readonly encoding: Encoding
  readonly bytes: Uint8Array
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** Types whose content is compressed already. */
const packed = new Set(['image/png', 'font/woff2'])

/**
 * For files that the build did not compress: a higher level costs the first visitor more time than it saves
 * in transfer.
 */
const brotliQuality = 6

const pack = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
}

/** Segments of letters, digits, `_ - .` that do not begin with a dot: nothing that leads out of a folder. */
const safePath = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/

/**
 * The files of a folder, compressed once for all requests; a file next to one with the suffix `.br` is its
 * compressed form. The content of a name under `assets` never changes.
 */
export class PageFiles {
  readonly #folder: string
  readonly #kept = new Map<string, Promise<PageFile>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The page itself, read again since another build may have replaced it; undefined: there is none. */
  index(encoding: Encoding): Promise<PageFile | undefined> {
    return unlessMissing(this.#read('index.html', encoding))
  }

  /** A file under `assets`; undefined: there is none. */
  async asset(path: string, encoding: Encoding): Promise<PageFile | undefined> {
    if (!safePath.test(path)) return undefined
    const key = `${encoding} ${path}`
    const kept = this.#kept.get(key) ?? this.#read(`assets/${path}`, encoding)
    this.#kept.set(key, kept)
    const file = await unlessMissing(kept)
    // Otherwise made-up names would stay in memory, and files built later would not be found.
    if (file === undefined) this.#kept.delete(key)
    return file
  }

  async #read(path: string, encoding: Encoding): Promise<PageFile> {
    const file = join(this.#folder, path)
    const contentType = types[extname(path)] ?? 'application/octet-stream'
    if (encoding === 'br') {
      const bytes = await unlessMissing(readFile(`${file}.br`))
      if (bytes !== undefined) return { contentType, encoding, bytes }
    }
    const bytes = await readFile(file)
    if (encoding === 'identity' || packed.has(contentType))
      return { contentType, encoding: 'identity', bytes }
    return { contentType, encoding, bytes: await pack[encoding](bytes) }
  }
}

const unlessMissing = async <A>(reading: Promise<A>): Promise<A | undefined> => {
  try {
    return await reading
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw error
  }
}
