import { KirokuError } from '@kiroku/protocol'
import type { Sizes } from '../append/Sizes.ts'
import { LargeBodies } from './LargeBodies.ts'
import { LargeBodyWrite } from './LargeBodyWrite.ts'

/** What the writer asks of its owner. */
interface LargeBodyWork {
  readonly partition: number
  readonly sizes: Sizes
  /** Whether the owner decides. */
  isActive(): boolean
  /** Has a turn begin. */
  wake(): void
}

/** A command that brings bodies, and the write of its large ones. */
interface WithWrite {
  readonly command: { readonly messages: readonly Uint8Array[] }
  readonly bytes: number
  write?: LargeBodyWrite | undefined
}

/**
 * Gives large bodies records of their own, ahead of the frames that name them: one write after another, so that few are
 * under way and each ends. Intake, tasks and checkpoints begin writes; the turn loop sends a body off per turn.
 */
export class LargeBodyWriter {
  readonly #work: LargeBodyWork
  /** Which frames need records ahead of them. */
  #largeBodies = new LargeBodies()
  #waiting: { readonly write: LargeBodyWrite; readonly done: () => void; readonly dropped: () => void }[] = []

  constructor(work: LargeBodyWork) {
    this.#work = work
  }

  begin(largeBodies: LargeBodies): void {
    this.#largeBodies = largeBodies
  }

  /** The ownership ended: no write that waits will be done. */
  end(): void {
    for (const { dropped } of this.#waiting.splice(0)) dropped()
  }

  get largeBodies(): LargeBodies {
    return this.#largeBodies
  }
  /** Whether a body waits for its record. */
  get areWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** `done` is called when all its records were sent off, `dropped` when that will never happen. */
  start(write: LargeBodyWrite, done: () => void, dropped: () => void): void {
    this.#largeBodies.open(write)
    this.#waiting.push({ write, done, dropped })
  }

  /**
   * Writes large bodies on behalf of the engine. Resolves when all their records were sent off.
   * Errors: `RecordTooLarge`, and `NotOwner` when the ownership ends before.
   *
   * @param plain the same as they were before they were encrypted
   */
  write(bodies: readonly Uint8Array[], bytes = bytesOf(bodies), plain = bodies): Promise<LargeBodyWrite> {
    const { sizes, partition } = this.#work
    const tooLarge = bodies.find((b) => b.length > sizes.turnBytesMax)
    if (tooLarge !== undefined)
      return Promise.reject(
        new KirokuError(
          'RecordTooLarge',
          `a body of ${tooLarge.length} bytes was stored when the log took more than ${sizes.turnBytesMax}`,
        ),
      )
    const write = new LargeBodyWrite(bodies, sizes.inlineBytes(bytes), plain)
    if (write.isDone) return Promise.resolve(write)
    return new Promise((resolve, reject) => {
      const dropped = (): void => reject(new KirokuError('NotOwner', `partition ${partition} changed hands`))
      if (!this.#work.isActive()) return dropped()
      this.start(write, () => resolve(write), dropped)
      this.#work.wake()
    })
  }

  /** Writes the large bodies of a command as they are now that they are encrypted, in place of what was written before. */
  async replace(mail: WithWrite, encrypted: readonly Uint8Array[]): Promise<void> {
    const { command, bytes } = mail
    // Small ones stay as they came: they are encrypted with the frame.
    const inlineBytesMax = this.#work.sizes.inlineBytes(bytes)
    const bodies = command.messages.map((plain, i) =>
      plain.length > inlineBytesMax || encrypted[i]!.length > inlineBytesMax ? encrypted[i]! : plain,
    )
    if (mail.write !== undefined) this.close(mail.write)
    mail.write = await this.write(bodies, bytes, command.messages)
  }

  /** The frame of a write was decided, or there will be none. */
  close(write: LargeBodyWrite): void {
    this.#largeBodies.close(write)
  }

  /** Sends one body off. */
  step(append: (body: Uint8Array) => number): void {
    const first = this.#waiting[0]
    if (first === undefined) return
    first.write.step(append)
    if (!first.write.isDone) return
    this.#waiting.shift()
    first.done()
  }
}

const bytesOf = (bodies: readonly Uint8Array[]): number => {
  let bytes = 0
  for (const { length } of bodies) bytes += length
  return bytes
}
