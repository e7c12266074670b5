import type { Opened } from '@kiroku/log'
import { type Answer, KirokuError, type Reply } from '@kiroku/protocol'

/** One request: collects its answers until the last is there. */
export class Request {
  readonly #answers: (Answer | undefined)[]
  #open: number
  readonly #resolve: (reply: Reply) => void
  /** Encrypted messages of deliveries, which are opened last. */
  readonly #sealed: Sealed[] = []
  readonly reply: Promise<Reply>

  constructor(commands: number) {
    this.#answers = new Array<Answer | undefined>(commands).fill(undefined)
    this.#open = commands
    let resolve: (reply: Reply) => void = () => {}
    this.reply = new Promise((r) => (resolve = r))
    this.#resolve = resolve
    if (commands === 0) resolve({ epoch: 0, seq: 0, answers: [] })
  }

  /** Puts an answer in its place; a second one for the same place is a defect. */
  answer(index: number, answer: Answer, epoch: number, seq: number): void {
    if (this.#answers[index] !== undefined)
      throw new KirokuError('Internal', `command ${index} of a request was answered twice`)
    this.#answers[index] = answer
    if (--this.#open === 0) this.#resolve({ epoch, seq, answers: this.#answers as Answer[] })
    else this.#openLast()
  }

  /**
   * Decrypts the messages of a delivery together with those of the request's other deliveries, once no other answer is
   * missing: so nothing leaves that is erased while the request waits.
   *
   * @param open the same function for the whole request
   */
  opened(messages: readonly Uint8Array[], open: Sealed['open']): Promise<readonly Opened[]> {
    return new Promise((resolve, reject) => {
      this.#sealed.push({ messages, open, resolve, reject })
      this.#openLast()
    })
  }

  #openLast(): void {
    if (this.#sealed.length < this.#open) return
    const all = this.#sealed.splice(0)
    const messages = all.flatMap((one) => one.messages)
    all[0]?.open(messages).then(
      (opened) => {
        let from = 0
        for (const one of all) one.resolve(opened.slice(from, (from += one.messages.length)))
      },
      (e: unknown) => {
        for (const one of all) one.reject(e)
      },
    )
  }
}

/** Messages that wait to be opened. */
interface Sealed {
  readonly messages: readonly Uint8Array[]
  readonly open: (messages: readonly Uint8Array[]) => Promise<readonly Opened[]>
  readonly resolve: (opened: readonly Opened[]) => void
  readonly reject: (error: unknown) => void
}

/** Where the answer to a token goes. */
export interface Slot {
  readonly request: Request
  readonly index: number
}
