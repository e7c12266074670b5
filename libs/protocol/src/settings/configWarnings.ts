import type { QueueConfig } from './QueueConfig.ts'

/** What a configuration may say and hardly means: the reason and what to do instead, a sentence each. */
export const configWarnings = (config: Pick<QueueConfig, 'retriesMax' | 'deadLetter'>): string[] =>
  config.deadLetter !== null && config.retriesMax === 0
    ? [
        'Messages are dead-lettered after 1 attempt, and a delivery counts as one even if a crash or a lost connection kept it from its consumer: set retriesMax to 1 or more.',
      ]
    : []
