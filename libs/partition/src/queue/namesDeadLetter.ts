import type { QueueState } from '../state/QueueState.ts'

/** Whether a queue, or a subscription of it, names this one as its dead-letter queue. */
export const namesDeadLetter = ({ config, subs }: QueueState, name: string): boolean =>
  config.deadLetter?.name === name || subs.some(({ settings }) => settings.deadLetter?.name === name)
