import { type Filter, FilterError, type FoundMessage, parseFilter, type SearchAnswer } from '@kiroku/audit'
import { searchRecord, type RecordSearch } from '../../audit/searchRecord.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import type { Output } from '../../cli/Output.ts'
import { columns } from '../../cli/columns.ts'
import { clearLine } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'

/** How long a search waits for the auditor to catch up, in ms; then it says what is missing. */
const patienceMs = 1_000

export const run = async (invocation: Invocation): Promise<void> => {
  const { out, text, int } = invocation
  const filter = read(invocation.argument('filter') ?? '', out)
  const limit = int('limit') ?? (out.json ? 100 : 20)
  await withLog(invocation, (log, nats) =>
    searchRecord(invocation, { log, nats, patienceMs }, async ({ search, lacks }) => {
      const answer = await searchOn(search, filter, limit, text('cursor'))
      tell(out, answer)
      for (const line of lacks(answer)) out.note(line)
      out.result(answer)
    }),
  )
}

/** Searches until there are as many messages as asked for, or no more: an answer holds fewer when it takes long to find them. */
const searchOn = async (
  search: RecordSearch['search'],
  filter: Filter,
  limit: number,
  from: string | undefined,
): Promise<SearchAnswer> => {
  const messages: FoundMessage[] = []
  for (let cursor = from; ;) {
    const answer = await search({
      filter,
      limit: limit - messages.length,
      asOperator: true,
      ...(cursor === undefined ? {} : { cursor }),
    })
    messages.push(...answer.messages)
    ;({ cursor } = answer)
    const isEnd = cursor === undefined || messages.length === limit
    if (process.stderr.isTTY) process.stderr.write(isEnd ? clearLine : clearLine + describeSearched(cursor!))
    if (isEnd) return { ...answer, messages }
  }
}

/** A cursor begins with the time of what was searched last. */
const describeSearched = (cursor: string): string =>
  `searched back to ${new Date(Number(cursor.split('.')[0])).toISOString()}`

const read = (text: string, out: Output): Filter => {
  try {
    return parseFilter(text, Date.now())
  } catch (error) {
    if (error instanceof FilterError && !out.json) out.note(error.picture)
    throw error
  }
}

const tell = (out: Output, { messages, cursor, bodiesNotIndexed }: SearchAnswer): void => {
  if (messages.length === 0) out.line('no messages match')
  else out.line(columns([['id', 'queue', 'state', 'attempt', 'at', 'why'], ...messages.map(rowOf)]))
  if (cursor !== undefined) out.line(`more: --cursor ${cursor}`)
  if (bodiesNotIndexed !== undefined && bodiesNotIndexed.length > 0)
    out.line(
      `bodies are not indexed in ${bodiesNotIndexed.join(', ')} (kiroku queue update QUEUE --index-body on)`,
    )
}

const rowOf = (m: FoundMessage): string[] => [
  m.messageId,
  m.subscription === 'main' ? m.queue : `${m.queue}/${m.subscription}`,
  m.state,
  String(m.attempt),
  new Date(m.at).toISOString(),
  [m.reason, m.error].filter((text) => text !== '').join(': '),
]
