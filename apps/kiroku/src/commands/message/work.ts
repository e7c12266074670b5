import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Client } from '@kiroku/client'
import { KirokuError, nearest, parseDurationMs } from '@kiroku/protocol'
import {
  readWranglerConfig,
  runWorker,
  type ConsumerConfig,
  type RunningWorker,
  type WorkerConfig,
} from '@kiroku/worker'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { canAsk, confirm } from '../../cli/confirm.ts'
import { makeLogger } from '../../serve/Logger.ts'
import { logClientEvent } from '../../serve/logClientEvent.ts'
import { withClient } from '../../serve/withClient.ts'
import { watchWorker } from './watchWorker.ts'

/** A Worker survives an outage of the engine. */
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
      await assentToCreate(invocation, client, config)
      let worker: RunningWorker | undefined
      let broken: Error | undefined
      const stopWatching = watchWorker((cause) => {
        broken ??= cause
        worker?.fail(cause)
      })
      try {
        worker = await runWorker({
          client,
          config,
          signal,
          ...(modulePath === undefined ? {} : { modulePath }),
        })
        if (broken !== undefined) worker.fail(broken)
        out.line(`working on ${queues.join(', ')}; Ctrl-C finishes the current batches and stops`)
        out.result({ ready: true, queues, module: modulePath ?? config.main })
        await worker.closed
      } finally {
        stopWatching()
      }
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

/** The queues to consume. */
interface WorkedConfig extends WorkerConfig {
  /** Queues that the wrangler file consumes. */
  readonly declared: ReadonlySet<string>
}

const configOf = async (invocation: Invocation): Promise<WorkedConfig> => {
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
  return {
    ...config,
    consumers: chosen.map((consumer) => ({ ...consumer, ...flags })),
    declared: new Set(config.consumers.map((consumer) => consumer.queue)),
  }
}

/**
 * A queue named only by --queue is created only if the user agrees: a mistyped one would wait for messages forever.
 * A queue declared in a wrangler file is intended. Errors: `UnknownQueue`.
 */
const assentToCreate = async (
  { text, flag, signal }: Invocation,
  client: Client,
  { declared }: WorkedConfig,
): Promise<void> => {
  const queue = text('queue')
  if (queue === undefined || declared.has(queue) || flag('create')) return
  const names = (await client.queues.survey()).queues.map(({ name }) => name)
  if (names.includes(queue)) return
  const missing = new KirokuError('UnknownQueue', `there is no queue "${queue}"`)
  if (!canAsk()) throw missing
  const meant = nearest(queue, names)
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  if (!(await confirm(`There is no queue "${queue}".${hint} Create "${queue}"?`, signal))) throw missing
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
