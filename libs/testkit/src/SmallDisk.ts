import { execFile, execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder, type TemporaryFolder } from './temporaryFolder.ts'

const run = promisify(execFile)

/** A disk of a few MiB, in memory, which a test may fill. Needs root. */
export class SmallDisk implements AsyncDisposable {
  readonly #folder: TemporaryFolder
  readonly #atExit = (): void => void execFileSync('umount', ['--lazy', this.path])

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder
  }

  static async mount(mebibytes: number): Promise<SmallDisk> {
    const folder = await temporaryFolder()
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder.path])
    } catch (error) {
      await folder.remove()
      throw error
    }
    const disk = new SmallDisk(folder)
    // Ahead of the removal of the folder.
    process.prependOnceListener('exit', disk.#atExit)
    return disk
  }

  /** A small disk; where none can be mounted the test is skipped with a warning, or fails where all must run. */
  static async mountOrSkip(mebibytes: number, skip: (note: string) => void): Promise<SmallDisk> {
    try {
      return await SmallDisk.mount(mebibytes)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (process.env['KIROKU_REQUIRE_ALL'] === '1')
        throw new Error(`no disk can be mounted here: ${why}`, { cause: error })
      console.warn(`The full-disk tests are SKIPPED: no disk can be mounted here (root is needed): ${why}`)
      skip(why)
      throw error
    }
  }

  get path(): string {
    return this.#folder.path
  }
  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path)
    return bavail * bsize
  }

  get usedBytes(): number {
    const { blocks, bfree, bsize } = statfsSync(this.path)
    return (blocks - bfree) * bsize
  }

  /** From now on it can only be read. */
  async becomeReadOnly(): Promise<void> {
    await run('mount', ['-o', 'remount,ro', this.path])
  }

  /** Fills the disk, as another program would, up to this many free bytes. */
  fill(leaveBytes = 0): void {
    const piece = Buffer.alloc(1024 * 1024)
    const file = openSync(this.#others, 'a')
    try {
      while (this.freeBytes > leaveBytes)
        writeSync(file, piece, 0, Math.min(piece.length, this.freeBytes - leaveBytes))
      fsyncSync(file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    } finally {
      closeSync(file)
    }
  }

  /** Frees what the other program took. */
  release(): void {
    rmSync(this.#others, { force: true })
  }

  async resize(mebibytes: number): Promise<void> {
    await run('mount', ['-o', `remount,size=${mebibytes}m`, this.path])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', [this.path]).catch(() => run('umount', ['--lazy', this.path]))
    process.off('exit', this.#atExit)
    await this.#folder.remove()
  }

  get #others(): string {
    return join(this.path, 'others')
  }
}
