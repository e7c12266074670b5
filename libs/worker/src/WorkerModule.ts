import type { ExecutionContext } from './ExecutionContext.ts'
import type { MessageBatch } from './MessageBatch.ts'

/** Bindings and vars of a Worker. */
export type Env = Record<string, unknown>

/** The handler of a Worker module: `export default { async queue(batch, env, ctx) {} }`. */
export interface WorkerModule<E = Env, Body = unknown> {
  queue(batch: MessageBatch<Body>, env: E, ctx: ExecutionContext): unknown
}
