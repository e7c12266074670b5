import { KirokuError } from '@kiroku/message'
import { limits } from './limits.ts'
import { defaultQueueConfig, type QueueConfig } from './QueueConfig.ts'

/** Ranges of the numeric settings, both ends included. */
const ranges: { readonly [K in keyof QueueConfig]?: readonly [min: number, max: number] } = {
  leaseMs: [limits.leaseMsMin, limits.leaseMsMax],
  leaseCapMs: [0, limits.leaseMsMax],
  retriesMax: [0, limits.retriesMax],
  retentionMs: [limits.retentionMsMin, limits.retentionMsMax],
  deliveryDelayMs: [0, limits.delayMsMax],
  receiveWaitMs: [0, limits.receiveWaitMsMax],
  batchMessages: [1, limits.messagesPerReceiveMax],
  batchWaitMs: [0, limits.batchWaitMsMax],
  batchBytes: [1, 64 * 1024 * 1024],
  bodyBytesMax: [1, limits.bodyBytesMax],
}

const words: { readonly [K in keyof QueueConfig]?: readonly string[] } = {
  exhaustion: ['onExpiry', 'onNextReceive'],
  lateHandles: ['accept', 'reject'],
  retentionFrom: ['arrival', 'original'],
}

/**
 * Lays `changes` over `base` and checks the whole. Errors: `InvalidConfig`, naming the setting, its value and
 * its range.
 */
export const checkConfig = (base: QueueConfig, changes: Partial<QueueConfig>): QueueConfig => {
  const config: QueueConfig = { ...base, ...changes }
  for (const key in changes) {
    if (!(key in defaultQueueConfig)) throw invalid(`there is no setting "${key}"`)
    const name = key as keyof QueueConfig
    const value = config[name]
    const range = ranges[name]
    if (
      range !== undefined &&
      !(Number.isInteger(value) && (value as number) >= range[0] && (value as number) <= range[1])
    )
      throw invalid(
        `${name} must be a whole number from ${range[0]} to ${range[1]}, not ${JSON.stringify(value)}`,
      )
    const choice = words[name]
    if (choice !== undefined && !choice.includes(value as string))
      throw invalid(`${name} must be one of ${choice.join(', ')}, not ${JSON.stringify(value)}`)
  }
  if (changes.retry !== undefined) checkRetry(config)
  const dlq = config.deadLetter
  if (
    dlq !== null &&
    !(
      typeof dlq === 'object' &&
      Number.isInteger(dlq.partition) &&
      Number.isInteger(dlq.queue) &&
      typeof dlq.name === 'string'
    )
  )
    throw invalid('deadLetter must name a queue with its address, or be null')
  if (config.deliveryDelayMs >= config.retentionMs)
    throw invalid(
      `a deliveryDelayMs of ${config.deliveryDelayMs} outlasts the retentionMs of ${config.retentionMs}`,
    )
  if (config.leaseCapMs !== 0 && config.leaseCapMs < config.leaseMs)
    throw invalid(`a leaseCapMs of ${config.leaseCapMs} is shorter than the leaseMs of ${config.leaseMs}`)
  return config
}

const checkRetry = (config: QueueConfig): void => {
  const { retry } = config
  const delays =
    retry.kind === 'fixed'
      ? [retry.delayMs]
      : retry.kind === 'exponential'
        ? [retry.baseMs, retry.maxMs]
        : retry.kind === 'list'
          ? retry.delaysMs
          : retry.kind === 'rocketmq'
            ? []
            : undefined
  if (delays === undefined) throw invalid(`retry.kind must be one of fixed, exponential, rocketmq, list`)
  for (const d of delays)
    if (!(Number.isInteger(d) && d >= 0 && d <= limits.delayMsMax))
      throw invalid(
        `a retry delay must be a whole number of ms from 0 to ${limits.delayMsMax}, not ${JSON.stringify(d)}`,
      )
  if (
    retry.kind === 'exponential' &&
    !(retry.factor >= 1 && retry.factor <= 100 && retry.jitter >= 0 && retry.jitter <= 1)
  )
    throw invalid('an exponential retry needs a factor from 1 to 100 and a jitter from 0 to 1')
}

const invalid = (message: string): KirokuError => new KirokuError('InvalidConfig', message)
