/**
 * The replay for browsers: reads recordings that the server made, and replays them with the engine's own code. Nothing
 * here, and nothing that it imports, knows Node.js, a log or a store.
 */
export {
  Replayer,
  type ReplayedMessages,
  type ReplayedQueue,
  type ReplayLimits,
  type ReplayListOptions,
  type ReplayMove,
  type ReplayPosition,
  type ReplayTarget,
} from './Replayer.ts'
export type { Population } from '@kiroku/message'
export type { MomentMessage, MomentSubscription, QueueOverview } from '../past/QueueMoment.ts'
