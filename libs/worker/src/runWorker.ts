import type { Batch, Client } from '@kiroku/client'
import { checkOptions, KirokuError, type OptionRules, rule, unless } from '@kiroku/protocol'
import { ExecutionContext } from './ExecutionContext.ts'
import { delaySecondsMax, MessageBatch } from './MessageBatch.ts'
import { QueueBinding } from './QueueBinding.ts'
import type { WorkerConfig } from './WorkerConfig.ts'
import type { Env, WorkerModule } from './WorkerModule.ts'
import { checkWorker, loadWorker } from './loadWorker.ts'
import { queueSections } from './queueSections.ts'

/** What `runWorker` needs: a client, a module or its path, and a configuration. */
export interface RunWorkerOptions {
  /** Stays open when the Worker stops. */
  readonly client: Client
  /** Path of the module, JavaScript or TypeScript; default: the configuration's `main`. */
  readonly modulePath?: string
  /** The default export itself, in place of a path. */
  readonly module?: WorkerModule<never, never> | WorkerModule
  readonly config: WorkerConfig
  /** Further bindings; they win over those of the configuration. */
  readonly env?: Env
  /** Aborting stops the Worker as `stop` does. */
  readonly signal?: AbortSignal
}

/** A Worker that consumes. */
export interface RunningWorker {
  /** Takes no more batches, lets handlers finish for `timeoutMs` (default 10,000), releases the rest. */
  stop(options?: { readonly timeoutMs?: number }): Promise<void>
  /**
   * Fails the batches in hand with what the module left behind, which costs each an attempt with the cause, and stops; `closed` rejects
   * with `WorkerBroken`.
   */
  fail(cause: Error): void
  /** Settles when all consumers have ended; rejects with the error that ended one. */
  readonly closed: Promise<void>
}

/** Default of batches that a Worker handles concurrently. */
const concurrencyDefault = 10

/**
 * Runs a Worker module on its queues, after applying their settings if they changed since last time. Resolves
 * when it is consuming. Errors: `WorkerInvalid`, `InvalidConfig`, `InvalidArgument` (an unknown option), and those of `Queues`.
 *
 * @example
 * const worker = await runWorker({ client, modulePath: 'worker.ts', config: { consumers: [{ queue: 'mail' }] } })
 */
export const runWorker = async (options: RunWorkerOptions): Promise<RunningWorker> => {
  checkOptions('runWorker', options, workerOptions)
  const { client, config, signal } = options
  if (config.consumers.length === 0)
    throw new KirokuError('InvalidConfig', 'The configuration names no queue to consume')
  const worker = await workerOf(options)
  const { sections, ...how } = queueSections(config)
  await client.queues.apply(sections, how)
  const env = { ...environment(client, config), ...options.env }
  const broken = new AbortController()
  const consumers = config.consumers.map((each) =>
    // Batch and lease are the queue's settings by now.
    client.consume(each.queue, (batch) => unless(broken.signal, handle(worker, batch, env)), {
      concurrency: each.concurrency ?? concurrencyDefault,
      subscription: each.subscription,
      retryDelayMsMax: delaySecondsMax * 1_000,
    }),
  )
  const stop: RunningWorker['stop'] = async (stopOptions) => {
    await Promise.all(consumers.map((consumer) => consumer.stop(stopOptions)))
  }
  let failure: KirokuError | undefined
  const fail: RunningWorker['fail'] = (cause) => {
    failure ??= new KirokuError('WorkerBroken', `The Worker has ended: ${cause.message}`, { cause })
    broken.abort(cause)
    void stop()
  }
  const stopOnAbort = (): void => void stop()
  signal?.addEventListener('abort', stopOnAbort)
  if (signal?.aborted === true) stopOnAbort()
  // A consumer that fails stops the others: half a Worker would look like a whole one.
  const closed = Promise.all(consumers.map((consumer) => consumer.closed.catch(stopAndThrow(stop))))
    .then(() => {
      if (failure !== undefined) throw failure
    })
    .finally(() => signal?.removeEventListener('abort', stopOnAbort))
  closed.catch(() => undefined)
  return { stop, fail, closed }
}

const workerOptions: OptionRules<RunWorkerOptions> = {
  client: rule.any,
  modulePath: rule.text,
  module: rule.any,
  config: rule.any,
  env: rule.any,
  signal: rule.any,
}

const stopAndThrow = (stop: RunningWorker['stop']) => async (error: unknown) => {
  await stop()
  throw error
}

const workerOf = async ({ module, modulePath, config }: RunWorkerOptions): Promise<WorkerModule> => {
  if (module !== undefined) return checkWorker(module, 'The module')
  const file = modulePath ?? config.main
  if (file === undefined)
    throw new KirokuError('InvalidConfig', 'Name a module, or set "main" in the configuration')
  return loadWorker(file)
}

const environment = (client: Client, { vars, producers = [] }: WorkerConfig): Env => ({
  ...vars,
  ...Object.fromEntries(producers.map(({ binding, queue }) => [binding, new QueueBinding(client, queue)])),
})

/** Runs the handler and what it passed to waitUntil; a failure of either fails the batch. */
const handle = async (worker: WorkerModule, batch: Batch, env: Env): Promise<void> => {
  const ctx = new ExecutionContext()
  try {
    await worker.queue(new MessageBatch(batch), env, ctx)
  } catch (error) {
    await ctx.settled().catch(() => undefined)
    throw error
  }
  await ctx.settled()
}
