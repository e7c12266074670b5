import { hostname } from 'node:os'
import { Tokens } from '@kiroku/doors'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { makeLogger } from '../../serve/Logger.ts'
import { logClientEvent } from '../../serve/logClientEvent.ts'
import { sqsDoorOf } from '../../serve/doorsOf.ts'
import { withClient } from '../../serve/withClient.ts'

/** The door survives an outage of the engine; its callers repeat what it refuses meanwhile. */
const requestTimeoutMs = 30_000
const sendTimeoutMs = 30_000
/** How long requests under way may take to finish, in ms. */
const drainMs = 2_000
/** Where clients of local stand-ins for SQS look. */
const usualAddress = '127.0.0.1:9324'

export const run = async (invocation: Invocation): Promise<void> => {
  const { out, signal } = invocation
  const settings = invocation.settings()
  const logger = makeLogger({ format: settings.logFormat, level: settings.logLevel })
  const tokens = new Tokens()
  const door = sqsDoorOf({ ...settings, sqs: settings.sqs ?? usualAddress }, tokens)!
  await withClient(
    invocation,
    async (client) => {
      const open = await door.start({
        client,
        tokens,
        drainMs,
        onDefect: (error, request) => logger('error', 'request failed', { request, error }),
        onRefused: () => {},
      })
      try {
        out.line(`serving clients of Amazon SQS on ${open.url}; Ctrl-C stops`)
        out.result({ ready: true, sqs: open.url })
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
