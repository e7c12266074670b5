/** A promise that was broken, and what showed it. */
export class Objection extends Error {
  /** Name of the checker that objects. */
  readonly checker: string

  constructor(checker: string, text: string) {
    super(text)
    this.name = 'Objection'
    this.checker = checker
  }
}
