import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { thinSavedStates, type SavedState, type SavedStateNote, type SavedStateStore } from '@kiroku/audit'
import { isOwnSnapshot } from '@kiroku/partition'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Version of the file format; others are dropped. */
const magic = Buffer.from('KMO1')
const digestBytes = 32
/** States compress well, and this level costs less than writing the bytes it saves. */
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** `seq.work.bytes`: listing a folder is enough to know its contents. */
const nameOf = ({ seq, work, bytes }: SavedStateNote): string => `${seq}.${work}.${bytes}.moment`

const noteOf = (name: string): SavedStateNote | undefined => {
  const match = /^(\d+)\.(\d+)\.(\d+)\.moment$/.exec(name)
  return match === null
    ? undefined
    : { seq: Number(match[1]), work: Number(match[2]), bytes: Number(match[3]) }
}

/** Options of moments on disk. */
export interface SavedStateFilesOptions {
  /** Limit in bytes for all of them together. Default: 1 GiB. */
  readonly bytesMax?: number
  /** Read-only: unreadable files are left where they are, and nothing is stored. */
  readonly readOnly?: boolean
}

const bytesMaxDefault = 1024 ** 3
/** Limit on the files of all partitions together: each new one lists all of them. */
const filesMax = 2_000

/** Moments as files, one each, in a folder per partition: compressed, with a digest that is checked. */
export class SavedStateFiles implements SavedStateStore {
  readonly #folder: string
  readonly #bytesMax: number
  readonly #readOnly: boolean

  /** `folder`: the one of a log's incarnation, see `auditFolder`. */
  constructor(folder: string, { bytesMax = bytesMaxDefault, readOnly = false }: SavedStateFilesOptions = {}) {
    this.#folder = join(folder, 'moments')
    this.#bytesMax = bytesMax
    this.#readOnly = readOnly
  }

  async list(partition: number): Promise<SavedStateNote[]> {
    const notes: SavedStateNote[] = []
    for (const name of await namesIn(this.#folderOf(partition))) {
      const note = noteOf(name)
      if (note !== undefined) notes.push(note)
    }
    return notes.sort((a, b) => a.seq - b.seq)
  }

  async get(partition: number, seq: number): Promise<SavedState | undefined> {
    const note = (await this.list(partition)).find((n) => n.seq === seq)
    if (note === undefined) return undefined
    try {
      const moment = await decode(await readFile(join(this.#folderOf(partition), nameOf(note))))
      if (moment?.seq === seq && moment.partition === partition) return moment
    } catch {
      // A file of another version, or a broken one: it can be rebuilt.
    }
    await this.delete(partition, seq)
    return undefined
  }

  async put(moment: SavedState): Promise<void> {
    if (this.#readOnly) return
    const folder = this.#folderOf(moment.partition)
    await mkdir(folder, { recursive: true })
    const bytes = await encode(moment)
    const note = { seq: moment.seq, work: moment.work, bytes: bytes.length }
    await this.delete(moment.partition, moment.seq)
    // Files that a crash left half written.
    for (const name of await namesIn(folder))
      if (name.endsWith('.new')) await rm(join(folder, name), { force: true })
    const path = join(folder, nameOf(note))
    await writeFile(`${path}.new`, bytes)
    await rename(`${path}.new`, path)
    await this.#thin()
  }

  async delete(partition: number, seq: number): Promise<void> {
    if (this.#readOnly) return
    for (const note of await this.list(partition))
      if (note.seq === seq) await rm(join(this.#folderOf(partition), nameOf(note)), { force: true })
  }

  #folderOf(partition: number): string {
    return join(this.#folder, String(partition))
  }

  async #thin(): Promise<void> {
    const all: { partition: number; notes: SavedStateNote[] }[] = []
    for (const name of await namesIn(this.#folder))
      all.push({ partition: Number(name), notes: await this.list(Number(name)) })
    for (const { partition, seq } of thinSavedStates(all, this.#bytesMax, filesMax))
      await this.delete(partition, seq)
  }
}

const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder)
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw e
  }
}

const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

const encode = async (moment: SavedState): Promise<Buffer> => {
  const packed = await compress(serialize(moment), level)
  return Buffer.concat([magic, digestOf(packed), packed])
}

const decode = async (bytes: Buffer): Promise<SavedState | undefined> => {
  const packed = bytes.subarray(magic.length + digestBytes)
  if (!bytes.subarray(0, magic.length).equals(magic)) return undefined
  if (!digestOf(packed).equals(bytes.subarray(magic.length, magic.length + digestBytes))) return undefined
  const moment = deserialize(await decompress(packed)) as SavedState
  // States are not portable between versions.
  return isOwnSnapshot(moment.snapshot.version) ? moment : undefined
}
