/**
 * What a handler threw, or an error in its place where it cannot be read: such a one must not take the consumer along.
 */
export const readable = (thrown: unknown): unknown => {
  try {
    // Throws where no text can be made of it.
    String(thrown instanceof Error ? [thrown.name, thrown.message, thrown.stack] : thrown)
    return thrown
  } catch {
    return new Error('the handler threw something that cannot be read')
  }
}
