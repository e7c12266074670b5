import {
  addSettled,
  checkWhere,
  parseFilter,
  settledNone,
  type MatchingAct,
  type SettledPiece,
} from '@kiroku/audit'
import { KirokuError } from '@kiroku/protocol'
import { searchRecord } from '../../audit/searchRecord.ts'
import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import { canAsk, confirm } from '../../cli/confirm.ts'
import { pieceMessages } from '../../matching/settleFound.ts'
import { settlePiece } from '../../matching/settlePiece.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'
import { withLog } from '../../serve/withLog.ts'
import { describeMatch, describeStayed } from './describeStayed.ts'

/** How long the auditor may take to catch up, in ms: what it has not read would be left out without a word. */
const patienceMs = 30_000

/** `discard`. */
export const discard: CommandModule = { run: (invocation) => settleMatching(invocation, 'discard') }

/**
 * Recalls or discards the messages that match a filter, after showing their number and asking. Errors:
 * `InvalidArgument`, `InvalidFilter`, `Stopped`.
 */
export const settleMatching = async (invocation: Invocation, act: MatchingAct): Promise<void> => {
  const { out, flag, text, signal } = invocation
  const filter = parseFilter(checkWhere(text('where') ?? ''), Date.now())
  const by = localActor(text('reason'))
  await withLog(invocation, (log, nats) =>
    searchRecord(invocation, { log, nats, patienceMs }, ({ search, lacks }) =>
      withClient(invocation, async (client) => {
        const all = async (isDryRun: boolean): Promise<SettledPiece> => {
          let sum = settledNone
          let cursor: string | undefined
          do {
            const found = await search({
              filter,
              limit: pieceMessages,
              asOperator: true,
              ...(cursor === undefined ? {} : { cursor }),
            })
            if (signal.aborted) throw stopped(act, sum.done)
            if (isDryRun && cursor === undefined) for (const line of lacks(found)) out.note(line)
            sum = addSettled(sum, await settlePiece(client, act, found.messages, { by, isDryRun }))
            cursor = found.cursor
          } while (cursor !== undefined)
          return sum
        }
        const counted = await all(true)
        out.line(describeMatch(act, counted))
        if (flag('dry-run') || counted.done === 0) return out.result(counted)
        await assent(invocation, act, counted.done)
        const settled = await all(false)
        const stayed = settled.stayed['changed'] ?? 0
        out.line(
          `${settled.done} ${words[act]}${stayed === 0 ? '' : `, ${describeStayed({ changed: stayed })}`}`,
        )
        out.result(settled)
      }),
    ),
  )
}

const words: Readonly<Record<MatchingAct, string>> = { recall: 'recalled', discard: 'discarded' }

const stopped = (act: MatchingAct, done: number): KirokuError =>
  new KirokuError('Stopped', `${done} were ${words[act]} before it was stopped; the same command continues`)

/** Errors: `InvalidArgument` without a terminal, `Stopped` if the answer is no. */
const assent = async ({ flag, signal }: Invocation, act: MatchingAct, count: number): Promise<void> => {
  if (flag('yes')) return
  if (!canAsk())
    throw new KirokuError('InvalidArgument', `not a terminal: pass --yes to ${act}, or --dry-run`)
  if (!(await confirm(`${act === 'recall' ? 'Recall' : 'Discard'} ${count} messages for good?`, signal)))
    throw new KirokuError('Stopped', `nothing was ${words[act]}`)
}
