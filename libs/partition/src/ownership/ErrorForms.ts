import { fingerprintOf, limits } from '@kiroku/protocol'

/** Errors of one form, and how often some of their texts came. */
interface Form {
  count: number
  readonly texts: Map<string, number>
}

/** Counts errors, of which those that differ only in what they name are one, as in the groups of dead letters. */
export class ErrorForms {
  readonly #forms = new Map<string, Form>()
  /** Form of each text that was looked at. */
  readonly #nameOf = new Map<string, string>()

  /** Counts an error `count` times. */
  note(error: string, count: number): void {
    const text = error.slice(0, limits.recentErrorCharactersMax)
    let name = this.#nameOf.get(text)
    if (name === undefined) {
      // Finding a form takes up to 17 µs: where every text differs, the first ones stand for the rest.
      if (this.#nameOf.size >= limits.recentErrorsRead) return
      this.#nameOf.set(text, (name = fingerprintOf(error).form))
    }
    this.#note(name, count, [[text, count]])
  }

  #note(name: string, count: number, texts: Iterable<readonly [string, number]>): void {
    let form = this.#forms.get(name)
    if (form === undefined) {
      if (this.#forms.size >= limits.recentErrorsMax) return
      this.#forms.set(name, (form = { count: 0, texts: new Map() }))
    }
    form.count += count
    for (const [text, times] of texts)
      if (form.texts.has(text) || form.texts.size < limits.recentTextsMax)
        form.texts.set(text, (form.texts.get(text) ?? 0) + times)
  }

  /**
   * The most frequent form of several counts together: by a text that is most of it, or by itself; empty: there was no
   * error, or none gave a reason.
   */
  static most(all: readonly ErrorForms[]): string {
    const some = all.filter((each) => each.#forms.size > 0)
    if (some.length === 0) return ''
    const together = new ErrorForms()
    for (const each of some)
      for (const [name, { count, texts }] of each.#forms) together.#note(name, count, texts)
    const [most] = [...together.#forms].toSorted(
      ([a, { count: n }], [b, { count: m }]) => m - n || (a < b ? -1 : 1),
    )
    const [name, { count, texts }] = most!
    for (const [text, times] of texts) if (2 * times > count) return text
    return name
  }
}
