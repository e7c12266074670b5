import type { Command, KirokuError, Reply } from '@kiroku/protocol'

/** What a client must know of a log to address its partitions. */
export interface LogDirectory {
  readonly log: string
  readonly incarnation: string
  readonly partitions: number
}

/** How long to wait for a reply. */
export interface RequestOptions {
  /** Real time; a transport that cannot lose a reply may ignore it. */
  readonly timeoutMs: number
}

/** The way from a client to the partitions' owners. Implementations: NATS and in-process. */
export interface Transport {
  /**
   * Whether owners get copies of what a request carries, so that nothing reads it any more once its reply is there. Absent:
   * they may keep the very bytes.
   */
  readonly copies?: boolean
  /** Called until it succeeds; never changes for a log. Errors: `Unavailable`, `NatsUnreachable`. */
  directory(): Promise<LogDirectory>
  /**
   * Sends commands to the owner of one partition; they take effect in order.
   * Errors: `Unavailable` (it has no owner now), `Timeout`, `NotOwner`, `NatsUnreachable`.
   */
  request(partition: number, commands: readonly Command[], options: RequestOptions): Promise<Reply>
  /**
   * Reports when a partition has a new owner, so that parked receives are issued again. Returns the
   * unsubscribe function.
   */
  onOwnerChanged(listener: (partition: number, epoch: number) => void): () => void
  /** Reports that what was out of reach can be reached again, so that what waits for a repeat is repeated at once. */
  onReconnected?(listener: () => void): () => void
  /** Passes on replies that came after their request was given up: their deliveries must be released. */
  onStray(listener: (partition: number, reply: Reply) => void): () => void
  /** Why nothing can be stored or asked now, as far as this side can find out within a second; undefined: nothing is known. */
  outage?(): Promise<KirokuError | undefined>
  close(): Promise<void>
}
