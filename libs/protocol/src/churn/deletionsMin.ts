/** After so many deletions, and twice as many as there are entries, a collection starts afresh. */
export const deletionsMin = 32
