import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Why no disk can be mounted here, or undefined when one can. */
export const whyNoLoopDisk = async (folder: string): Promise<string | undefined> => {
  try {
    await using disk = await LoopDisk.make(join(folder, 'probe.img'), join(folder, 'probe'), 16)
    await disk.flush()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** An ext4 file system in an image file, mounted; what the image holds at a moment is what a power cut leaves. Needs root. */
export class LoopDisk implements AsyncDisposable {
  /** Where it is mounted. */
  readonly path: string
  readonly #image: string
  #mounted = false

  private constructor(image: string, path: string) {
    this.#image = image
    this.path = path
  }

  /** Creates an empty disk of this many MiB. */
  static async make(image: string, path: string, mebibytes: number): Promise<LoopDisk> {
    await run('truncate', ['-s', `${mebibytes}M`, image])
    await run('mkfs.ext4', ['-q', '-F', image])
    return LoopDisk.mount(image, path)
  }

  /** Mounts the disk of an image. Writes reach the image only on a sync. */
  static async mount(image: string, path: string): Promise<LoopDisk> {
    const disk = new LoopDisk(image, path)
    mkdirSync(path, { recursive: true })
    await run('mount', ['-o', 'loop,commit=600', image, path])
    disk.#mounted = true
    return disk
  }

  /** Brings everything that was written to the disk, as a calm shutdown does. */
  async flush(): Promise<void> {
    await run('sync', ['-f', this.path])
  }

  /** Copies the image as it is now: the disk after a power cut. */
  async cutPower(copy: string): Promise<void> {
    await run('cp', ['--sparse=always', this.#image, copy])
  }

  /** Unmounts it, which detaches its loop device too. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#mounted) return
    this.#mounted = false
    await run('umount', [this.path]).catch(() => run('umount', ['--lazy', this.path]))
  }
}
