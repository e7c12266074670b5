import { KirokuError } from '@kiroku/protocol'
import type { ClientEvent } from './ClientEvent.ts'
import type { ClientOptions } from './ClientOptions.ts'
import { realClock, type Clock } from './Clock.ts'
import { EnvelopeMemory } from './EnvelopeMemory.ts'
import { Reachability } from './Reachability.ts'
import type { Transport } from './Transport.ts'
import { limits } from './limits.ts'
import { tellOnConsole } from './tellOnConsole.ts'

/** What everything under one client shares. */
export interface ClientContext {
  readonly transport: Transport
  readonly clock: Clock
  readonly emit: (event: ClientEvent) => void
  readonly reachability: Reachability
  /** As the options say; undefined: not at all. */
  readonly sendTimeoutMs: number | undefined
  readonly sendPatience: NonNullable<ClientOptions['sendPatience']>
  readonly requestTimeoutMs: number
  /** Where envelopes of sends lie; undefined: each in memory of its own. */
  readonly envelopes: EnvelopeMemory | undefined
}

/** The context of a client as its options say. Errors: `InvalidArgument`. */
export const createContext = (transport: Transport, options: ClientOptions): ClientContext => {
  const clock = options.clock ?? realClock
  const emit = emitter(options.onEvent ?? tellOnConsole(clock))
  return {
    transport,
    clock,
    emit,
    reachability: new Reachability(clock, emit),
    sendTimeoutMs:
      options.sendTimeoutMs === undefined ? undefined : timeout('sendTimeoutMs', options.sendTimeoutMs),
    sendPatience: options.sendPatience ?? { silenceMs: limits.sendSilenceMs, moveMs: limits.sendRepeatMs },
    requestTimeoutMs: timeout('requestTimeoutMs', options.requestTimeoutMs ?? 30_000),
    envelopes:
      transport.copies === true ? new EnvelopeMemory(options.envelopeSizes ?? limits.envelopes) : undefined,
  }
}

/** A later repeat could be stored a second time. */
const timeout = (name: string, ms: number): number => {
  if (ms >= 0 && ms <= limits.timeoutMsMax) return ms
  throw new KirokuError(
    'InvalidArgument',
    `${name} must be 0 to ${limits.timeoutMsMax} ms (10 minutes), not ${ms}`,
  )
}

/** Events for a listener whose own failure must not break what the client is doing; it surfaces as uncaught. */
const emitter =
  (listener: ClientOptions['onEvent']) =>
  (event: ClientEvent): void => {
    try {
      listener?.(event)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
