import type { Spread } from './Spread.ts'

/** An answer that waits until every part follows. */
interface Awaiting {
  readonly token: number
  readonly revision: number
  readonly ok: { purged?: number }
}

/** How far the parts of a spread queue follow their home, as they said to this ownership, and who waits for that. */
export class SpreadProgress {
  /** Revision that each partition said it follows. */
  readonly followed = new Map<number, number>()
  awaiting: Awaiting[] = []

  /** Whether every part follows a revision and none is still to be opened. */
  isFollowed({ parts }: Spread, revision: number): boolean {
    return parts.every((p) => p.state !== 'opening' && this.follows(p.partition, revision))
  }

  /** Whether the part in a partition follows a revision. */
  follows(partition: number, revision: number): boolean {
    return (this.followed.get(partition) ?? -1) >= revision
  }
}
