import type { MatchingSource, SearchSource } from '@kiroku/api'
import type { SearchAnswer } from '@kiroku/audit'
import type { Client } from '@kiroku/client'
import { KirokuError } from '@kiroku/protocol'
import { settlePiece } from './settlePiece.ts'

/** Matches of a piece; each is an event of the record, or a part of one. */
export const pieceMessages = 500

/** Errors: `InvalidArgument` where nothing is said of the messages that are meant. */
export const checkWhere = (where: string): string => {
  if (where.trim() !== '') return where
  throw new KirokuError(
    'InvalidArgument',
    'say which messages are meant, like "state:waiting queue:payments"; `kiroku queue purge` discards all of a queue',
  )
}

/** Recalls and discards what the auditor's index finds, a piece at a time. */
export const matchingSource =
  (client: Client, search: SearchSource): MatchingSource =>
  async (act, { where, dryRun = false, cursor }, by) => {
    const found = (await search.messages({
      q: checkWhere(where),
      limit: String(pieceMessages),
      ...(cursor === undefined ? {} : { cursor }),
    })) as SearchAnswer
    const piece = await settlePiece(client, act, found.messages, { by, isDryRun: dryRun })
    return { ...piece, ...(found.cursor === undefined ? {} : { cursor: found.cursor }) }
  }
