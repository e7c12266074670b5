import type { Hidden, Hiding, Passed } from './Hiding.ts'

/** Who looks at messages. */
export interface Sight {
  readonly hiding: Hiding
  /** Whether attributes and errors are shown although they are hidden: to those who handle messages. */
  readonly asOperator: boolean
}

/** What there is to see of a message. */
export interface Seen {
  /** What is hidden of it; absent: nothing. */
  readonly hidden?: Hidden
  readonly shows: { readonly attributes: boolean; readonly errors: boolean }
}

const everything: Seen = { shows: { attributes: true, errors: true } }

/** What somebody sees of a message that passed these queues. Without a sight: everything. */
export const seenBy = (sight: Sight | undefined, passed: Passed): Seen => {
  const hidden = sight?.hiding.of(passed)
  if (sight === undefined || hidden === undefined) return everything
  const { asOperator } = sight
  return { hidden, shows: { attributes: asOperator, errors: asOperator || hidden !== 'all' } }
}
