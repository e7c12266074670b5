import type { SettleMatching } from '@kiroku/api'
import type { Answering, Asker } from '@kiroku/audit'
import type { Client } from '@kiroku/client'
import { settlePiece } from './settlePiece.ts'

/** Matches per batch; each is an event on record, or part of one. */
export const pieceMessages = 500

/** Recalls and discards what a search finds, a piece at a time. */
export const settleFound =
  (client: Client, record: (asker: Asker) => Answering<'search'>): SettleMatching =>
  async (act, { isDryRun, ...asked }, by, signal) => {
    const { search } = record({ principal: by.name, signal })
    const { messages, cursor } = await search({ ...asked, limit: pieceMessages, asOperator: true })
    const piece = await settlePiece(client, act, messages, { by, isDryRun })
    return { ...piece, ...(cursor === undefined ? {} : { cursor }) }
  }
