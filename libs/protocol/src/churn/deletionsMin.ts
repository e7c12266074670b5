/** After so many deletions, and twice as many as there are entries, a collection begins anew. */
export const deletionsMin = 32
