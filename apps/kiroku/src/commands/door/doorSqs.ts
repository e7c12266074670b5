import { hostname } from 'node:os'
import { DoorRequests, Tokens } from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { growHeap } from '../../serve/growHeap.ts'
import { makeLogger } from '../../serve/Logger.ts'
import { logClientEvent } from '../../serve/logClientEvent.ts'
import { sqsDoorsOf, usualSqs } from '../../serve/sqsDoorsOf.ts'
import { startFirst } from '../../serve/startFirst.ts'
import { withClient } from '../../serve/withClient.ts'

/** The door survives an outage of the engine; its callers repeat what it refuses meanwhile. */
const requestTimeoutMs = 30_000
/** How long requests under way may take to finish, in ms. */
const drainMs = 2_000

export const run = async (invocation: Invocation): Promise<void> => {
  growHeap()
  const { out, signal } = invocation
  const settings = invocation.settings()
  const logger = makeLogger({ format: settings.logFormat, level: settings.logLevel })
  const tokens = new Tokens()
  const sqs = settings.sqs ?? `${usualSqs.host}:${usualSqs.port}`
  const found = sqsDoorsOf({ ...settings, sqs }, tokens)
  if (found === undefined)
    throw new KirokuError('InvalidConfig', '--sqs off: without an address there is nothing to serve')
  await withClient(
    invocation,
    async (client, { outage }) => {
      const open = (await startFirst(found.doors, {
        client,
        tokens,
        drainMs,
        outage,
        // Nobody asks this process for metrics.
        requests: new DoorRequests(),
        onDefect: (error, request) => logger('error', 'request failed', { request, error }),
        onRefused: () => {},
      }))!
      const stopFollowing = found.follow(logger)
      try {
        out.line(`serving clients of Amazon SQS on ${open.url}; Ctrl-C stops`)
        out.result({ ready: true, sqs: open.url })
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve()
          else signal.addEventListener('abort', () => resolve(), { once: true })
        })
      } finally {
        stopFollowing()
        await open.close()
      }
    },
    {
      name: `sqs-${hostname()}-${process.pid}`,
      onEvent: logClientEvent(logger),
      requestTimeoutMs,
    },
  )
  out.line('stopped')
}
