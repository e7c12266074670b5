import type { PlayTarget, Standing } from './Player.ts'

/** Messages from the page to the replay worker. */
export type ToWorker =
  | {
      readonly type: 'open'
      /** Presented with each request. */
      readonly token: string | null
      readonly partitions: readonly number[]
      /** The queue whose recordings are requested. */
      readonly queue: string
    }
  | { readonly type: 'seek'; readonly target: PlayTarget }
  | { readonly type: 'step'; readonly partition: number; readonly by: 1 | -1 }
  | { readonly type: 'play'; readonly speed: number }
  | { readonly type: 'pause' }

/** Messages from the worker to the page. */
export type FromWorker =
  | { readonly type: 'standing'; readonly standing: Standing }
  | { readonly type: 'paused' }
  | {
      readonly type: 'problem'
      readonly problem: { readonly id: string; readonly message: string; readonly help: string }
    }
