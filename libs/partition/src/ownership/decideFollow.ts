import { type CommandOf, KirokuError, limits } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { Followers } from './Followers.ts'

/** Takes note of who wants to know what happened; the answer is that of the whole turn. */
export const decideFollow = <B>(
  turn: Turn<B>,
  { follower, since }: CommandOf<'FollowPartition'>,
  token: number,
): void => {
  const followers = (turn.own.followers ??= new Followers())
  if (!followers.has(follower) && followers.size >= limits.followersMax)
    return turn.refuse(
      token,
      new KirokuError('Busy', `${limits.followersMax} others follow this partition`, {
        retryAfterMs: limits.followerLingerMs,
      }),
    )
  turn.follows.push({ token, follower, since })
}

/** Tells those who asked in this turn what happened up to its end, and forgets those who ask no more. */
export const answerFollowers = <B>(turn: Turn<B>): void => {
  const { state, own, follows } = turn
  const { followers } = own
  if (followers === undefined) return
  // A turn without facts becomes no record.
  const seq = turn.events.length > 0 ? state.frameSeq : state.frameSeq - 1
  for (const { token, follower, since } of follows)
    turn.ok(token, followers.take(follower, since, state, seq))
  followers.sweep(turn.now)
  if (followers.size === 0) own.followers = undefined
}
