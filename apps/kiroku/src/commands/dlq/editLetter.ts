import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { bodiesOf, payloadIn, placeNow } from '@kiroku/audit'
import { traceMessage } from '@kiroku/auditor'
import { KirokuError } from '@kiroku/protocol'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import { canAsk } from '../../cli/confirm.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'
import { withLog } from '../../serve/withLog.ts'
import { shownPayload } from './groupTable.ts'
import { openEditor } from './openEditor.ts'
import { setValues } from './setValues.ts'

/** `dlq edit`. */
export const edit: CommandModule = {
  run: async (invocation) => {
    const { out, text } = invocation
    const id = invocation.argument('id')!
    const { trace, now } = await withLog(invocation, async (log) => {
      const found = await traceMessage(auditedLog(log, invocation.settings().dataDir), id)
      return { trace: found, now: (await bodiesOf(log, found)).at(-1) }
    })
    const { queue, number } = placeNow(trace)
    const contentType = text('content-type') ?? now?.contentType
    const body = await newBody(invocation, now?.body, contentType)
    const { isEdited } = await withClient(invocation, (client) =>
      client.queues.editBody(
        queue,
        {
          number,
          messageId: trace.messageId,
          body,
          ...(contentType === undefined ? {} : { contentType }),
        },
        localActor(text('reason')),
      ),
    )
    const before = now === undefined ? undefined : payloadIn(now)
    const after = payloadIn({ body, ...(contentType === undefined ? {} : { contentType }) })
    if (isEdited) {
      if (before !== undefined) out.line(`before  ${shownPayload(before)}`)
      out.line(`after   ${shownPayload(after)}`)
      out.line(`\`kiroku dlq redrive ${queue} --message ${trace.messageId}\` brings it back`)
    } else out.line('nothing changed: it had that body already')
    out.result({ messageId: trace.messageId, queue, number, isEdited, before, after })
  },
}

const newBody = async (
  { text }: Invocation,
  before: Uint8Array | undefined,
  contentType: string | undefined,
): Promise<Uint8Array> => {
  const [file, set] = [text('body'), text('set')]
  if (file !== undefined && set !== undefined)
    throw new KirokuError('InvalidArgument', 'give either --body or --set')
  if (file === '-') return new Uint8Array(await buffer(process.stdin))
  if (file !== undefined)
    return readFile(file).then(
      (bytes) => new Uint8Array(bytes),
      (cause: unknown) => {
        throw new KirokuError('InvalidArgument', `--body: cannot read ${file}`, { cause })
      },
    )
  if (before === undefined)
    throw new KirokuError('UnknownMessage', 'its body is no longer on record; give one with --body')
  if (set !== undefined) return setValues(before, set)
  if (!canAsk() || !process.stdout.isTTY)
    throw new KirokuError('InvalidArgument', 'no editor can be opened here; give --body or --set')
  return openEditor(before, /json/.test(contentType ?? ''))
}
