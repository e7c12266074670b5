/** A queue at a place: queue ids are unique within their partition and never used again. */
export interface QueueAddress {
  readonly partition: number
  readonly queue: number
}
