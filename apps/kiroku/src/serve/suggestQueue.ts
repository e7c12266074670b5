import { KirokuError, nearest } from '@kiroku/protocol'
import type { Invocation } from '../cli/CommandSpec.ts'
import { withClient } from './withClient.ts'

/** How long listing the queues may take, in ms: it only improves a message. */
const askMs = 2_000

/**
 * Adds the name that was most likely meant to an error about a missing queue; leaves any other error as it
 * is.
 */
export const suggestQueue = async (
  error: KirokuError,
  invocation: Pick<Invocation, 'settings'>,
): Promise<KirokuError> => {
  const typed = /^there is no queue "([^"]+)"$/.exec(error.message)?.[1]
  if (typed === undefined) return error
  const meant = await meantQueue(typed, invocation).catch(() => undefined)
  if (meant === undefined) return error
  return new KirokuError(error.id, `${error.message}. Did you mean "${meant}"?`, { cause: error })
}

const meantQueue = (typed: string, invocation: Pick<Invocation, 'settings'>): Promise<string | undefined> =>
  withClient(
    invocation,
    async (client) => {
      const { queues } = await client.queues.survey()
      return nearest(
        typed,
        queues.map(({ name }) => name),
      )
    },
    { requestTimeoutMs: askMs },
  )
