import { parseFilter, type SearchAnswer } from '@kiroku/audit'
import { IndexFollower, IndexWriter, openIndexToWrite, searchIndex, traceIndex } from '@kiroku/auditor'
import { decodeCheckpoint } from '@kiroku/engine'
import type { World } from './World.ts'

/** The index of a world's log, as the auditor keeps it. */
export interface WorldIndex {
  /** Reads what is new on record. */
  readonly follow: () => Promise<void>
  readonly search: (filter: string, cursor?: string) => Promise<SearchAnswer>
  readonly forTraces: ReturnType<typeof traceIndex>
  readonly writer: IndexWriter
}

/** An index in memory that has read everything so far. */
export const indexOf = async (world: World): Promise<WorldIndex> => {
  const { log } = world
  const writer = new IndexWriter(openIndexToWrite(undefined))
  const followers: IndexFollower[] = []
  for (let n = 0; n < log.meta.partitions; n++)
    followers.push(new IndexFollower(n, { log, writer, decodeCheckpoint }))
  const follow = async (): Promise<void> => {
    for (const follower of followers) await follower.run()
  }
  await follow()
  return {
    follow,
    search: (filter, cursor) =>
      searchIndex(writer.database, parseFilter(filter, Date.UTC(2026, 0, 1) + world.time.now()), {
        incarnation: log.meta.incarnation,
        ...(cursor === undefined ? {} : { cursor }),
      }),
    forTraces: traceIndex(writer.database),
    writer,
  }
}
