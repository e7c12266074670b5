/** One row of the configuration table. */
export interface Setting {
  /** Key in `kiroku.jsonc`. */
  readonly key: string
  readonly flag: string
  readonly env: string
  readonly kind: 'text' | 'int' | 'duration' | 'bytes' | 'choice'
  readonly choices?: readonly string[]
  /** Smallest value of an int, or of a duration in ms. */
  readonly min?: number
  /** Largest value, of the same. */
  readonly max?: number
  /** As the user would write it. */
  readonly default?: string
  readonly metavar?: string
  readonly description: string
}

/** A row, with the type of what it says. */
export const setting = <const S extends Setting>(row: S): S => row
