import type { Recent } from '../ownership/RecentDeliveries.ts'

/** With fewer ended attempts than this, the share of failures says nothing. */
const attemptsMin = 20

/** A warning where most attempts failed lately, with the most frequent error. */
export const failureWarning = ({
  ended,
  failed,
  error,
}: Pick<Recent, 'ended' | 'failed' | 'error'>): string | undefined => {
  if (ended < attemptsMin || failed <= ended / 2) return undefined
  const most = error === '' ? 'most often without a reason' : `most often with "${error}"`
  return `Most attempts of the last minute failed, ${most}: retries are for what rarely fails. Set rateMax to slow down what is too much for the handler, and acknowledge or dead-letter what cannot succeed.`
}
