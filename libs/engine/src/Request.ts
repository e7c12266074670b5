import { KirokuError } from '@kiroku/message'
import type { Answer, Reply } from '@kiroku/partition'

/** One request of a door: its answers collect here until the last is there. */
export class Request {
  readonly #answers: (Answer | undefined)[]
  #open: number
  readonly #resolve: (reply: Reply) => void
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
  }
}

/** Where the answer to a token goes. */
export interface Slot {
  readonly request: Request
  readonly index: number
}
