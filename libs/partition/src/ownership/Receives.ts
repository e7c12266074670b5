import { ChurnMap } from '@kiroku/protocol'
import { Flow } from '../flow/Flow.ts'
import { GroupPolls } from '../receive/GroupPolls.ts'
import type { Poll } from '../receive/Poll.ts'
import type { Subscription } from '../state/QueueState.ts'

/** What an ownership knows of the receives of one subscription, and of what they may take. */
export class Receives {
  /** Waiting receives, oldest first, except those of one group. */
  polls: Poll[] = []
  groupPolls = new GroupPolls()
  /** Those of them with an attempt id, by that. */
  byAttempt = new ChurnMap<string, Poll>()
  /** What the subscription may take, where that is limited. */
  flow: Flow | undefined
  /** When the first of the messages that are available now became so, in ms of partition time. */
  availableSince: number

  constructor(sub: Subscription, now: number) {
    this.availableSince = now
    this.configure(sub)
  }

  /** Looks at each receive that waits; one may end meanwhile. Thousands are looked at every second, and a generator would make an object for each. */
  eachWaiting(look: (poll: Poll) => void): void {
    for (const poll of this.polls) if (!poll.done) look(poll)
    this.groupPolls.each(look)
  }

  /** How many receives wait. */
  get waitingCount(): number {
    let count = 0
    this.eachWaiting(() => count++)
    return count
  }

  /** Whether any receive waits. */
  get isAwaited(): boolean {
    return this.polls.some(({ done }) => !done) || !this.groupPolls.isEmpty
  }

  configure(sub: Subscription): void {
    this.flow = Flow.of(sub.config, sub.queue.share, this.flow)
  }

  /** Takes over the receives that waited for the generation before. */
  takeOver({ polls, groupPolls, byAttempt }: Receives, sub: Subscription): void {
    this.polls = polls
    this.groupPolls = groupPolls
    this.byAttempt = byAttempt
    this.eachWaiting((poll) => (poll.subscription = sub))
  }
}
