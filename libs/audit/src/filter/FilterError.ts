import { KirokuError } from '@kiroku/protocol'

/** A filter that cannot be read, and where. */
export class FilterError extends KirokuError {
  readonly filter: string
  /**
   * Position of the first wrong character, counted from 0; the filter's length where something is missing.
   */
  readonly at: number

  constructor(filter: string, at: number, what: string) {
    super('InvalidFilter', `${what} (character ${at + 1} of the filter)`)
    this.filter = filter
    this.at = at
  }

  /** The filter, and under it a mark at the character that is wrong. */
  get picture(): string {
    return `${this.filter}\n${' '.repeat(this.at)}^`
  }
}
