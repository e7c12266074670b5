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

/** What somebody sees of a message that passed these queues, as far as they are known. Without a sight: everything. */
export const seenBy = (sight: Sight | undefined, passed: Passed): Seen =>
  sight === undefined ? everything : seenOf(sight, sight.hiding.of(passed))

/** As {@link seenBy}, also of a message in a queue that is newer than what is known. */
export const seenNow = async (sight: Sight | undefined, passed: Passed): Promise<Seen> =>
  sight === undefined ? everything : seenOf(sight, await sight.hiding.now(passed))

const seenOf = ({ asOperator }: Sight, hidden: Hidden | undefined): Seen =>
  hidden === undefined
    ? everything
    : { hidden, shows: { attributes: asOperator, errors: asOperator || hidden !== 'all' } }
