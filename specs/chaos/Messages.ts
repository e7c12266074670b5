import type { AcknowledgedSend, ConfirmedAck, SeenDelivery, SendAnswer } from './History.ts'

/** What the traffic processes tell the one that kills. */
export type TrafficMessage =
  | { readonly type: 'ready' }
  | {
      readonly type: 'seen'
      readonly acknowledged: readonly AcknowledgedSend[]
      readonly deliveries: readonly SeenDelivery[]
      readonly acks: readonly ConfirmedAck[]
      readonly slow: readonly SendAnswer[]
      /** Calls that a user would have seen fail. */
      readonly failures: readonly string[]
    }
  /** Everything that was begun has ended. */
  | { readonly type: 'stopped' }

/** What it sends them. */
export type TrafficOrder =
  /** Pause of each sending loop between its sends, in ms. */
  | { readonly type: 'pace'; readonly pauseMs: number }
  /** Nothing is sent anymore: consume everything, and move nothing back. */
  | { readonly type: 'drain' }
  | { readonly type: 'stop' }
