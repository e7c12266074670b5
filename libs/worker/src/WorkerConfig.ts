/** A binding in `env` through which a Worker sends. */
export interface ProducerConfig {
  /** Name in `env`. */
  readonly binding: string
  readonly queue: string
  /** Delay in ms of sends that set none; becomes a setting of the queue. */
  readonly deliveryDelayMs?: number
}

/**
 * A queue that a Worker consumes; absent settings stay as they are in the queue. A queue that it creates gets
 * batches of 10 messages or 5 s.
 */
export interface ConsumerConfig {
  readonly queue: string
  /**
   * Subscription of the queue, created if it is missing, to which the settings apply; absent: `main`, and
   * they apply to the queue.
   */
  readonly subscription?: string
  /** A batch closes at this many messages… */
  readonly batchMessages?: number
  /** …or this long after the first one, in ms. */
  readonly batchWaitMs?: number
  /** Retries after the first delivery. */
  readonly retriesMax?: number
  /** Queue for messages whose retries are used up; created if it is missing. Absent: they are discarded. */
  readonly deadLetter?: string
  /** Batches handled concurrently; default 10. */
  readonly concurrency?: number
  /** Pause in ms before a retry that sets none. */
  readonly retryDelayMs?: number
  readonly leaseMs?: number
}

/** What a Worker runs with. */
export interface WorkerConfig {
  /** Name of the Worker, the same on every machine: queues remember under it what was applied. */
  readonly name?: string
  /** Absolute path of the module. */
  readonly main?: string
  readonly consumers: readonly ConsumerConfig[]
  readonly producers?: readonly ProducerConfig[]
  /** Plain values in `env`. */
  readonly vars?: Readonly<Record<string, unknown>>
}
