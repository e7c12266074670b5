/** A queue at a place: queue ids are unique within their partition and never used again. */
export interface QueueAddress {
  readonly partition: number
  readonly queue: number
}

/** Whether both name the same queue. */
export const isSameQueue = (a: QueueAddress, b: QueueAddress): boolean =>
  a.partition === b.partition && a.queue === b.queue
