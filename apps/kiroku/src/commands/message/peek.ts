import { bodyOf, parseStates, stateAt, type MessageBody, type MomentMessage } from '@kiroku/audit'
import { hidingNow, pastOptions, traceMessage } from '@kiroku/auditor'
import { contentTypeOf, formatDuration, KirokuError } from '@kiroku/protocol'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'

const messagesDefault = 5
const messagesMax = 100

export const run = async (invocation: Invocation): Promise<void> => {
  const { out, text, int, flag, argument } = invocation
  const max = int('max') ?? messagesDefault
  if (max < 1 || max > messagesMax)
    throw new KirokuError('InvalidArgument', `--max must be from 1 to ${messagesMax}, not ${max}`)
  const [states, where] = [text('state'), text('where')]
  const { dataDir } = invocation.settings()
  const now = Date.now()
  const progress = showProgress()
  const { total, found } = await withLog(invocation, async (log) => {
    const audited = auditedLog(log, dataDir)
    const { messages, messagesTotal } = await stateAt(
      log,
      argument('queue')!,
      { time: now },
      {
        ...pastOptions(audited),
        onProgress: progress.onProgress,
        messagesMax: max,
        ...(states === undefined ? {} : { states: parseStates(states, '--state') }),
        ...(where === undefined ? {} : { where }),
      },
    )
    const bodies: Peeked[] = []
    const hiding = await hidingNow(audited)
    for (const message of messages) {
      const trace = await traceMessage(audited, message.messageId, { hiding })
      const isHidden = trace.hidden !== undefined && !flag('reveal')
      bodies.push({ message, body: await bodyOf(log, trace), isHidden })
    }
    return { total: messagesTotal, found: bodies }
  }).finally(progress.done)
  if (found.length === 0) out.line('no message')
  for (const each of found) out.line(textOf(each, now))
  if (total > found.length) out.line(`… ${total} in all; --max shows more`)
  out.result({ queue: argument('queue'), messages: found.map(asJson), total })
}

interface Peeked {
  readonly message: MomentMessage
  readonly body: MessageBody
  readonly isHidden: boolean
}

const textOf = ({ message, body: { body, unreadable }, isHidden }: Peeked, now: number): string => {
  const { messageId, state, attempt, enqueuedAt } = message
  const age = formatDuration(Math.max(0, Math.floor((now - enqueuedAt) / 1_000) * 1_000))
  const head = `${messageId}  ${state}  attempt ${attempt}  ${age} old`
  if (unreadable !== undefined) return `${head}\n(its body is ${unreadable})`
  if (isHidden) return `${head}\n(its ${body.length} bytes are hidden; --reveal shows them)`
  const isText = contentTypeOf(body) !== 'application/octet-stream'
  return `${head}\n${isText ? Buffer.from(body).toString() : `(${body.length} bytes)`}`
}

const asJson = ({ message, body: { body, meta, unreadable }, isHidden }: Peeked): Record<string, unknown> => {
  const type = contentTypeOf(body)
  const shown =
    unreadable !== undefined
      ? { unreadable }
      : isHidden
        ? { hidden: true, bytes: body.length }
        : type === 'application/octet-stream'
          ? { bodyBase64: Buffer.from(body).toString('base64') }
          : {
              body:
                type === 'application/json'
                  ? (JSON.parse(Buffer.from(body).toString()) as unknown)
                  : Buffer.from(body).toString(),
            }
  return { ...message, contentType: meta.contentType, attributes: meta.attributes, ...shown }
}
