/**
 * The highest feature level that this code reads and writes. It rises with the first event or setting that the release before
 * could not read; see `introducedAt`.
 */
export const featureLevel = 1
