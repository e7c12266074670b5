/**
 * The types that a module written for Cloudflare Queues has as globals, for projects that list them in
 * `"types": ["@kiroku/worker/globals"]` of a tsconfig or in a `/// <reference types="@kiroku/worker/globals"
 * />`. They describe what `kiroku work` and `runWorker` pass in, and must not be combined with
 * `@cloudflare/workers-types`.
 */
import type * as worker from '../src/index.ts'

declare global {
  /** What `wrangler types` writes bindings and vars into. */
  namespace Cloudflare {
    interface Env {}
  }
  /** Bindings and vars of a Worker: declare yours as `interface Env { MY_QUEUE: Queue }`. */
  interface Env extends Cloudflare.Env {}

  type Message<Body = unknown> = Pick<worker.Message<Body>, keyof worker.Message<Body>>
  interface MessageBatch<Body = unknown> extends Omit<worker.MessageBatch<Body>, 'messages'> {
    readonly messages: readonly Message<Body>[]
  }
  type QueueRetryOptions = worker.QueueRetryOptions
  /** A producer in `env`. */
  type Queue<Body = unknown> = Pick<worker.QueueBinding<Body>, keyof worker.QueueBinding<Body>>
  type QueueContentType = worker.ContentType
  type QueueSendOptions = worker.QueueSendOptions
  type QueueSendBatchOptions = Pick<worker.QueueSendOptions, 'delaySeconds'>
  type MessageSendRequest<Body = unknown> = worker.MessageSendRequest<Body>
  type QueueMetrics = worker.QueueMetrics
  type ExecutionContext = Pick<worker.ExecutionContext, 'waitUntil' | 'passThroughOnException'>

  /** The default export of a Worker. Kiroku runs `queue` alone. */
  interface ExportedHandler<Env = unknown, QueueHandlerMessage = unknown> {
    queue?(batch: MessageBatch<QueueHandlerMessage>, env: Env, ctx: ExecutionContext): void | Promise<void>
    fetch?(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response>
  }
}
