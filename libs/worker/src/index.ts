/**
 * Workers. Owns the running of a Worker module as a consumer: its batch, its bindings, its settings. Talks to
 * an engine only through `@kiroku/client`.
 */
export { runWorker, type RunWorkerOptions, type RunningWorker } from './runWorker.ts'
export { queueSections, type QueueSections } from './queueSections.ts'
export { readWranglerConfig } from './readWranglerConfig.ts'
export type { ConsumerConfig, ProducerConfig, WorkerConfig } from './WorkerConfig.ts'
export type { Env, WorkerModule } from './WorkerModule.ts'
export type { ExecutionContext } from './ExecutionContext.ts'
export type { Message, MessageBatch, QueueRetryOptions } from './MessageBatch.ts'
export type { MessageSendRequest, QueueBinding, QueueMetrics, QueueSendOptions } from './QueueBinding.ts'
export type { ContentType } from './body.ts'
