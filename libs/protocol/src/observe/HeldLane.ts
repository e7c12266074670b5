/** Why a lane waits, and since when in ms of partition time. */
export interface HeldLane {
  /** `targetGone`: the target was deleted. `subscriptionGone`: the only subscription that the next message is for was. */
  readonly reason: 'targetGone' | 'subscriptionGone'
  readonly since: number
}
