import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { BatchOptions, SendOptions } from '@kiroku/client'
import {
  checkJson,
  contentTypeOf,
  formatDuration,
  jsonSlip,
  KirokuError,
  limits,
  parseDurationMs,
} from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { parseAttributes } from '../../cli/parseAttributes.ts'
import { sendOptions, withClient } from '../../serve/withClient.ts'
import { startProgress } from './Progress.ts'
import { readNdjson } from './ndjson.ts'
import { sendNdjson, type BodyBytes } from './sendNdjson.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const { argument, text, flag, int } = invocation
  const body = argument('body')
  const file = text('file')
  const count = int('count') ?? 1
  if (body !== undefined && (file !== undefined || flag('ndjson')))
    throw new KirokuError('InvalidArgument', 'give either a body or --file or --ndjson, not both')
  if (body === undefined && file === undefined && process.stdin.isTTY)
    throw new KirokuError('InvalidArgument', 'there is no message: give a body, --file, or pipe one in')
  if (count < 1 || (count > 1 && flag('ndjson')))
    throw new KirokuError(
      'InvalidArgument',
      '--count must be 1 or more, and cannot be used with --ndjson, where each line is sent once',
    )
  const dedupId = text('dedup-id')
  if (dedupId !== undefined && (flag('ndjson') || count > 1))
    throw new KirokuError(
      'InvalidArgument',
      '--dedup-id is for a single message; --ndjson and --count send several',
    )
  const options = optionsOf(invocation)
  if (flag('ndjson')) return sendLines(invocation, file, options)
  const bytes = body === undefined ? await readAll(await open(file)) : Buffer.from(body)
  const contentType = options.contentType ?? guessType(bytes, invocation)
  checkJson(bytes, contentType)
  await (count === 1
    ? sendOne(invocation, bytes, { ...options, contentType, dedupId })
    : sendMany(invocation, repeat(bytes, count), { ...options, contentType }))
}

const guessType = (body: Uint8Array, { out }: Invocation): string => {
  const problem = jsonSlip(body)
  if (problem !== undefined)
    out.note(`WARNING  the body begins like JSON but is not, and is sent as text/plain: ${problem}`)
  return contentTypeOf(body)
}

const sendOne = (invocation: Invocation, body: Uint8Array, options: SendOptions): Promise<void> =>
  withClient(
    invocation,
    async (client) => {
      const queue = invocation.argument('queue')!
      const { messageId } = await client.send(queue, body, options)
      invocation.out.line(messageId)
      invocation.out.result({ queue, messageId })
    },
    sendOptions(waitMsOf(invocation)),
  )

/** How long to wait for an answer, in ms; undefined: as by default. */
const waitMsOf = ({ text }: Invocation): number | undefined => {
  const wait = text('wait')
  return wait === undefined ? undefined : parseDurationMs(wait, '--wait')
}

const repeat = function* (bytes: Uint8Array, count: number): Generator<BodyBytes> {
  for (let i = 0; i < count; i++) yield { bytes }
}

const sendLines = async (
  invocation: Invocation,
  file: string | undefined,
  options: BatchOptions,
): Promise<void> => {
  const input = await open(file)
  let bytesRead = 0
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of input) {
      bytesRead += chunk.length
      yield chunk
    }
  }
  await sendMany(
    invocation,
    readNdjson(counted(), limits.bodyBytesMax),
    { contentType: 'application/json', ...options },
    { bytes: file === undefined ? undefined : (await stat(file)).size, bytesRead: () => bytesRead },
  )
}

const sendMany = async (
  invocation: Invocation,
  lines: AsyncIterable<BodyBytes> | Iterable<BodyBytes>,
  options: BatchOptions,
  input: { readonly bytes?: number | undefined; readonly bytesRead: () => number } = { bytesRead: () => 0 },
): Promise<void> => {
  const { out, signal } = invocation
  const queue = invocation.argument('queue')!
  const startedMs = performance.now()
  const waitMs = waitMsOf(invocation)
  const sent = await withClient(
    invocation,
    async (client) => {
      // An unknown queue is reported at once, not after the first batch was read from a slow input.
      await client.queues.describe(queue)
      const progress = startProgress(input.bytes)
      try {
        return await sendNdjson(client, queue, lines, options, signal, (count) =>
          progress.update(count, input.bytesRead()),
        )
      } finally {
        progress.stop()
      }
    },
    waitMs === undefined ? {} : { sendTimeoutMs: waitMs },
  )
  const seconds = (performance.now() - startedMs) / 1_000
  const rate = Math.round(sent / Math.max(seconds, 0.001))
  out.line(`${sent} messages sent to ${queue} in ${formatDuration(Math.round(seconds * 1_000))} (${rate}/s)`)
  out.result({ queue, sent, seconds: +seconds.toFixed(3), perSecond: rate })
}

const optionsOf = ({ text }: Invocation): BatchOptions => {
  const delay = text('delay')
  const contentType = text('content-type')
  const attributes = text('attributes')
  const tag = text('tag')
  const group = text('group')
  return {
    ...(delay === undefined ? {} : { delayMs: parseDurationMs(delay, '--delay') }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(tag === undefined ? {} : { tag }),
    ...(group === undefined ? {} : { group }),
    ...(attributes === undefined ? {} : { attributes: parseAttributes(attributes) }),
  }
}

const open = async (file: string | undefined): Promise<AsyncIterable<Uint8Array>> => {
  if (file === undefined) return process.stdin
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile() !== true) throw new KirokuError('InvalidArgument', `--file: there is no file ${file}`)
  return createReadStream(file)
}

const readAll = async (input: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of input) {
    parts.push(chunk)
    length += chunk.length
    if (length > limits.bodyBytesMax)
      throw new KirokuError('BodyTooLarge', `the body is larger than ${limits.bodyBytesMax} bytes`)
  }
  return Buffer.concat(parts, length)
}
