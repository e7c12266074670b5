import type { BodyRef } from '@kiroku/log'
import type { Command, CommandOf, Turn } from '@kiroku/partition'
import { limits } from './limits.ts'

/** What the core decides; the rest the engine answers itself. */
export type PartitionCommand = Exclude<Command, { type: 'DescribePartition' }>

/** Work for one turn: a command with the token of its answer, or something of the engine's own. */
export type Mail =
  | {
      readonly command: PartitionCommand
      readonly token: number
      readonly bytes: number
      readonly act?: undefined
    }
  | { readonly act: (turn: Turn<BodyRef>) => void; readonly command?: undefined }

/** A command that brings bodies. */
type Bringing = Extract<Mail, { command: PartitionCommand }> & {
  readonly command: CommandOf<'Enqueue' | 'Forward'>
}

/**
 * What waits for a turn. Settling, receives and acts of the engine go first; commands that bring bodies share
 * the rest of the frame, a command of each queue in turn, so that one flood does not hold up its neighbours.
 */
export class Mailbox {
  readonly #frameBytesMax: number
  #first: Mail[] = []
  #firstNext = 0
  readonly #sends = new Map<string, { mail: Bringing[]; next: number }>()
  #commands = 0
  #bytes = 0

  constructor(frameBytesMax: number) {
    this.#frameBytesMax = frameBytesMax
  }

  get size(): number {
    return this.#commands
  }

  /** False: over the limit, and nothing was taken in. */
  put(mail: Mail): boolean {
    if (mail.act === undefined) {
      if (this.#commands >= limits.mailboxCommandsMax || this.#bytes + mail.bytes > limits.mailboxBytesMax)
        return false
      const { command } = mail
      this.#commands++
      this.#bytes += mail.bytes
      if (command.type === 'Enqueue' || command.type === 'Forward') {
        const key = command.type === 'Enqueue' ? command.queue : `>${command.target}`
        const lane = this.#sends.get(key)
        if (lane === undefined) this.#sends.set(key, { mail: [mail as Bringing], next: 0 })
        else lane.mail.push(mail as Bringing)
        return true
      }
    } else this.#commands++
    this.#first.push(mail)
    return true
  }

  /** Takes what goes into one turn. */
  gather(): { first: Mail[]; sends: Bringing[] } {
    return { first: this.#gatherFirst(), sends: this.#gatherSends() }
  }

  #gatherFirst(): Mail[] {
    const all = this.#first
    const start = this.#firstNext
    let end = start
    for (let bytes = 0; end < all.length && bytes < this.#frameBytesMax; end++) {
      const mail = all[end]!
      this.#commands--
      if (mail.act !== undefined) continue
      this.#bytes -= mail.bytes
      bytes += mail.bytes
    }
    if (end === all.length) {
      this.#first = []
      this.#firstNext = 0
      return start === 0 ? all : all.slice(start)
    }
    this.#firstNext = end
    return all.slice(start, end)
  }

  #gatherSends(): Bringing[] {
    const taken: Bringing[] = []
    let bytes = 0
    let messages = 0
    while (this.#sends.size > 0) {
      for (const [key, lane] of this.#sends) {
        const mail = lane.mail[lane.next]!
        const count = mail.command.messages.length
        if (
          taken.length > 0 &&
          (bytes + mail.bytes > this.#frameBytesMax || messages + count > limits.frameMessagesMax)
        ) {
          // The queue that found no room begins the next frame.
          return taken
        }
        bytes += mail.bytes
        messages += count
        taken.push(mail)
        this.#commands--
        this.#bytes -= mail.bytes
        lane.next++
        // To the back of the round: a Map keeps the order in which keys were set.
        this.#sends.delete(key)
        if (lane.next < lane.mail.length) this.#sends.set(key, lane)
      }
    }
    return taken
  }

  /** Empties the box and returns the tokens that were waiting. */
  clear(): number[] {
    const tokens: number[] = []
    for (const mail of this.#first.slice(this.#firstNext)) if (mail.act === undefined) tokens.push(mail.token)
    for (const lane of this.#sends.values())
      for (let i = lane.next; i < lane.mail.length; i++) tokens.push(lane.mail[i]!.token)
    this.#first = []
    this.#firstNext = 0
    this.#sends.clear()
    this.#commands = 0
    this.#bytes = 0
    return tokens
  }
}

/** About the bytes that a command adds to a frame. */
export const commandBytes = (command: Command): number => {
  let bytes = 128
  if ('messages' in command) for (const m of command.messages) bytes += m.length + 4
  else if ('items' in command) for (const item of command.items) bytes += 32 + item.numbers.length * 8
  return bytes
}
