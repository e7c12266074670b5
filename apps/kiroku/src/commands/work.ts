import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { KirokuError } from '@kiroku/message'
import { readWranglerConfig, runWorker, type ConsumerConfig, type WorkerConfig } from '@kiroku/worker'
import type { Invocation } from '../cli/CommandSpec.ts'
import { parseDurationMs } from '../config/units.ts'
import { logClientEvent } from '../serve/logClientEvent.ts'
import { makeLogger } from '../serve/Logger.ts'
import { withClient } from '../serve/withClient.ts'

/** A Worker outlasts an engine's absence. */
const requestTimeoutMs = 30_000
const sendTimeoutMs = 300_000

const wranglerFiles = ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']

export const run = async (invocation: Invocation): Promise<void> => {
  const { argument, out, signal } = invocation
  const config = await configOf(invocation)
  const modulePath = argument('module')
  if (modulePath === undefined && config.main === undefined)
    throw new KirokuError('InvalidArgument', 'name a module, or a wrangler file with "main"')
  const settings = invocation.settings()
  const logger = makeLogger({ format: settings.logFormat, level: settings.logLevel })
  const queues = config.consumers.map(({ queue }) => queue)
  await withClient(
    invocation,
    async (client) => {
      const worker = await runWorker({
        client,
        config,
        signal,
        ...(modulePath === undefined ? {} : { modulePath }),
      })
      out.line(`working on ${queues.join(', ')}; Ctrl-C finishes what is in hand and stops`)
      out.result({ ready: true, queues, module: modulePath ?? config.main })
      await worker.closed
    },
    {
      name: `${hostname()}-${process.pid}`,
      onEvent: logClientEvent(logger),
      requestTimeoutMs,
      sendTimeoutMs,
    },
  )
  out.line('stopped')
  out.result({ stopped: true, queues })
}

const configOf = async (invocation: Invocation): Promise<WorkerConfig> => {
  const { text } = invocation
  const file = text('config') ?? wranglerFiles.find((name) => existsSync(name))
  const config: WorkerConfig =
    file === undefined ? { consumers: [] } : await readWranglerConfig(file, { env: text('env') })
  const queue = text('queue')
  const chosen =
    queue === undefined
      ? config.consumers
      : [config.consumers.find((consumer) => consumer.queue === queue) ?? { queue }]
  if (chosen.length === 0)
    throw new KirokuError(
      'InvalidArgument',
      'name a queue with --queue, or in queues.consumers of a wrangler file',
    )
  const flags = flagsOf(invocation)
  return { ...config, consumers: chosen.map((consumer) => ({ ...consumer, ...flags })) }
}

const flagsOf = ({ text, int }: Invocation): Partial<ConsumerConfig> => {
  const flags: Record<string, unknown> = {
    batchMessages: int('batch-size'),
    batchWaitMs: durationOf(text, 'batch-timeout'),
    retriesMax: int('retries'),
    retryDelayMs: durationOf(text, 'retry-delay'),
    deadLetter: text('dead-letter'),
    subscription: text('subscription'),
    concurrency: int('concurrency'),
    leaseMs: durationOf(text, 'lease'),
  }
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}

const durationOf = (text: Invocation['text'], flag: string): number | undefined => {
  const value = text(flag)
  return value === undefined ? undefined : parseDurationMs(value, `--${flag}`)
}
