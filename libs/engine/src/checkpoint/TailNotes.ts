import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { decodeRecord, type PartitionLog } from '@kiroku/log'
import { KirokuError } from '@kiroku/protocol'
import { limits } from '../limits.ts'

interface Note {
  /** Name of the log; absent in older notes. */
  readonly log?: string
  /** Epoch of the ownership that noted it. */
  readonly epoch: number
  readonly seq: number
  readonly hash: string
  /** CRC-32 of all the rest; absent in older notes. */
  readonly sum?: number
}

const fileName = (incarnation: string, partition: number): string => `tail-${incarnation}-${partition}.json`

/** Where notes are kept: small files on this machine. */
export interface NoteFiles {
  /** Errors: when there is none of that name. */
  read(file: string): string
  /** Replaces the file as a whole. */
  write(file: string, text: string): Promise<void>
}

/** Files in a folder, which is made where it is missing. */
export const noteFilesIn = (folder: string): NoteFiles => {
  mkdirSync(folder, { recursive: true })
  return {
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write: async (file, text) => {
      const path = join(folder, file)
      await writeFile(`${path}.new`, text)
      await rename(`${path}.new`, path).catch(async (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
        // A folder in its place would keep every later note from being kept.
        await rm(path, { recursive: true })
        await rename(`${path}.new`, path)
      })
    },
  }
}

/** What nodes with this folder noted of the ends of logs. */
export const readTailNotes = (
  folder: string,
): (Note & { readonly incarnation: string; readonly partition: number })[] => {
  const notes: ReturnType<typeof readTailNotes> = []
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const [, incarnation, partition] = /^tail-([^-]+)-(\d+)\.json$/.exec(file) ?? []
    if (incarnation === undefined) continue
    const note = readNote(() => readFileSync(join(folder, file), 'utf8'))
    if (note !== undefined) notes.push({ ...note, incarnation, partition: Number(partition) })
  }
  return notes
}

/**
 * A note that cannot be read, or is not what was written, is ignored: it is a help, not the truth, and must close no
 * partition whose log is whole.
 */
const readNote = (read: () => string): Note | undefined => {
  let note: Partial<Note> | null
  try {
    note = JSON.parse(read()) as Partial<Note> | null
  } catch {
    return undefined
  }
  const { sum, ...content } = note ?? {}
  const areRight = [content.epoch, content.seq].every((n) => Number.isSafeInteger(n) && n! >= 0)
  const { hash } = content as { readonly hash?: unknown }
  if (!areRight || typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return undefined
  return sum === undefined || sum === sumOf(content) ? (content as Note) : undefined
}

const sumOf = (content: Partial<Note>): number => crc32(JSON.stringify(content))

/** Small local files with the last sequence and hash that this node saw stored, so that a log that lost its tail is noticed. */
export class TailNotes {
  readonly #files: NoteFiles
  readonly #incarnation: string
  readonly #log: string
  readonly #onDamage: (file: string) => void
  readonly #last = new Map<
    number,
    {
      seq: number
      hash: Uint8Array
      epoch: number
      writtenMs: number
      isDue: boolean
      writing: Promise<void>
    }
  >()

  /**
   * @param log name of the log, for people
   * @param onDamage called with the name of a note that is there and cannot be read, when its log is checked
   */
  constructor(files: NoteFiles, incarnation: string, log = '', onDamage: (file: string) => void = () => {}) {
    this.#files = files
    this.#onDamage = onDamage
    this.#log = log
    this.#incarnation = incarnation
  }

  #file(partition: number): string {
    return fileName(this.#incarnation, partition)
  }

  /** Notes what is stored; written at most once per second. */
  note(
    partition: number,
    { seq, hash }: { readonly seq: number; readonly hash: Uint8Array },
    epoch: number,
    nowMs: number,
  ): void {
    const last = this.#last.get(partition)
    if (last === undefined) {
      this.#last.set(partition, {
        seq,
        hash,
        epoch,
        writtenMs: -Infinity,
        isDue: false,
        writing: Promise.resolve(),
      })
      return
    }
    last.seq = seq
    last.hash = hash
    last.epoch = epoch
    if (last.isDue) return
    const dueMs = last.writtenMs + limits.tailNoteMs - nowMs
    if (dueMs <= 0) {
      last.writtenMs = nowMs
      void this.flush(partition)
    } else {
      // The last frames before a pause are those that a power cut takes.
      last.isDue = true
      last.writtenMs = nowMs + dueMs
      setTimeout(() => last.isDue && void this.flush(partition), dueMs).unref()
    }
  }

  /** Writes the last note now. */
  async flush(partition: number): Promise<void> {
    const last = this.#last.get(partition)
    if (last === undefined) return
    last.isDue = false
    const { epoch, seq } = last
    const note: Note = { log: this.#log, epoch, seq, hash: Buffer.from(last.hash).toString('hex') }
    last.writing = last.writing.then(async () => {
      // A note is a help, not the truth: a disk that cannot store it must stop nothing.
      await this.#files
        .write(this.#file(partition), JSON.stringify({ ...note, sum: sumOf(note) }))
        .catch(() => {})
    })
    await last.writing
  }

  /** Epoch of the last ownership that this node noted, which the log may have lost; 0: none. */
  epoch(partition: number): number {
    return this.#read(partition)?.epoch ?? 0
  }

  #read(partition: number): Note | undefined {
    return readNote(() => this.#files.read(this.#file(partition)))
  }

  #isThere(partition: number): boolean {
    try {
      this.#files.read(this.#file(partition))
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT'
    }
  }

  /**
   * Checks the log against the note, unless a repair of `repairedEpoch` or later gave up what was known before.
   * Errors: `LogShortened`, `LogDamaged`.
   */
  async check(log: PartitionLog, repairedEpoch: number): Promise<void> {
    const note = this.#read(log.partition)
    if (note === undefined && this.#isThere(log.partition)) this.#onDamage(this.#file(log.partition))
    if (note === undefined || note.epoch < repairedEpoch) return
    const { firstSeq, lastSeq } = await log.state()
    if (note.seq > lastSeq)
      throw new KirokuError(
        'LogShortened',
        `partition ${log.partition}: the log ends at ${lastSeq}, but this node saw ${note.seq} stored`,
      )
    if (note.seq < firstSeq) return
    const stored = await log.get(note.seq)
    if (
      stored === undefined ||
      stored.foreign ||
      Buffer.from(decodeRecord(stored.data).hash).toString('hex') !== note.hash
    )
      throw new KirokuError(
        'LogDamaged',
        `partition ${log.partition}: record ${note.seq} is not the one that this node saw stored`,
      )
  }
}
