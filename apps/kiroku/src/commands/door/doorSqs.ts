import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { httpLimitsDefault, Tokens } from '@kiroku/doors'
import { parseKeys, sqsDoor, type Key } from '@kiroku/gateway-sqs'
import { KirokuError } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { parseHttpAddress } from '../../serve/HttpAddress.ts'
import { makeLogger } from '../../serve/Logger.ts'
import { logClientEvent } from '../../serve/logClientEvent.ts'
import { withClient } from '../../serve/withClient.ts'

/** The door survives an outage of the engine; its callers repeat what it refuses meanwhile. */
const requestTimeoutMs = 30_000
const sendTimeoutMs = 30_000
/** How long requests under way may take to finish, in ms. */
const drainMs = 2_000

export const run = async (invocation: Invocation): Promise<void> => {
  const { out, signal, text } = invocation
  const settings = invocation.settings()
  const logger = makeLogger({ format: settings.logFormat, level: settings.logLevel })
  const account = text('account') ?? '000000000000'
  if (!/^\d{12}$/.test(account))
    throw new KirokuError('InvalidArgument', `--account: "${account}" is not 12 digits`)
  const address = parseHttpAddress(text('listen') ?? '127.0.0.1:9324', '--listen')
  const keys = readKeys(text('keys-file'))
  const door = sqsDoor({ ...address, account, keys, limits: httpLimitsDefault })
  await withClient(
    invocation,
    async (client) => {
      const open = await door.start({
        client,
        tokens: new Tokens(),
        drainMs,
        onDefect: (error, request) => logger('error', 'request failed', { request, error }),
        onRefused: () => {},
      })
      try {
        out.line(`serving clients of Amazon SQS on ${open.url}; Ctrl-C stops`)
        out.result({ ready: true, sqs: open.url, account })
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve()
          else signal.addEventListener('abort', () => resolve(), { once: true })
        })
      } finally {
        await open.close()
      }
    },
    {
      name: `sqs-${hostname()}-${process.pid}`,
      onEvent: logClientEvent(logger),
      requestTimeoutMs,
      sendTimeoutMs,
    },
  )
  out.line('stopped')
}

/** Errors: `InvalidConfig`. */
const readKeys = (file: string | undefined): Key[] | undefined => {
  if (file === undefined) return undefined
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new KirokuError(
      'InvalidConfig',
      `--keys-file: ${file} cannot be read: ${(cause as Error).message}`,
      {
        cause,
      },
    )
  }
  return parseKeys(text)
}
