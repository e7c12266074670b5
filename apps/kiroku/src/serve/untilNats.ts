import { setTimeout } from 'node:timers/promises'
import { isNatsAway } from '@kiroku/nats'
import { isKirokuError, KirokuError } from '@kiroku/protocol'
import type { Logger } from './Logger.ts'

/** Pauses between attempts, in ms: they double. */
const pauseMsMin = 250
const pauseMsMax = 2_000

/** How often the log says again what is waited for, in ms. */
const sayAgainMs = 60_000

/** How a start waits for NATS. */
export interface Waiting {
  /** Ends the waiting. */
  readonly signal: AbortSignal
  /** Called with what is waited for, whenever an attempt failed. */
  readonly onWait: (reason: string) => void
}

/**
 * Opens what needs NATS; while NATS, its JetStream or its quorum is not there, again and again, and says on one line what
 * it waits for. What an attempt opened before it failed is closed by it.
 * Errors: `Stopped` when the signal is aborted, and those that no waiting ends.
 */
export const untilNats = async <A>(
  open: () => Promise<A>,
  { signal, onWait }: Waiting,
  logger: Logger,
): Promise<A> => {
  const begunMs = performance.now()
  let said: { readonly id: string; readonly atMs: number } | undefined
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    try {
      const opened = await open()
      if (said !== undefined)
        logger('info', 'NATS is there', { waitedMs: Math.round(performance.now() - begunMs) })
      return opened
    } catch (error) {
      if (!isKirokuError(error) || !isNatsAway(error)) throw error
      const nowMs = performance.now()
      onWait(error.message)
      if (said?.id !== error.id || nowMs - said.atMs >= sayAgainMs) {
        logger('warn', 'waiting for NATS', { reason: error })
        said = { id: error.id, atMs: nowMs }
      }
    }
    await setTimeout(pauseMs, undefined, { signal }).catch(() => {
      throw new KirokuError('Stopped', 'stopped while it waited for NATS')
    })
  }
}
