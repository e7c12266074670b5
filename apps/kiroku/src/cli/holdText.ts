import type { Hold } from '@kiroku/protocol'

/** Until when deliveries are held, and why: `held until 2026-11-21T08:49:37.000Z: HTTP 429`. */
export const holdText = ({ until, error }: Hold): string =>
  `held until ${new Date(until).toISOString()}${error === '' ? '' : `: ${error}`}`
