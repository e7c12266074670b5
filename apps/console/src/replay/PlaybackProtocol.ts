import type { PlayTarget, Standing } from './Player.ts'

/** What the page tells the worker that replays. */
export type ToWorker =
  | {
      readonly type: 'open'
      /** Presented with each request. */
      readonly token: string | null
      readonly partitions: readonly number[]
      /** Whose recordings are asked for. */
      readonly queue: string
    }
  | { readonly type: 'seek'; readonly target: PlayTarget }
  | { readonly type: 'step'; readonly partition: number; readonly by: 1 | -1 }
  | { readonly type: 'play'; readonly speed: number }
  | { readonly type: 'pause' }

/** What the worker tells the page. */
export type FromWorker =
  | { readonly type: 'standing'; readonly standing: Standing }
  | { readonly type: 'paused' }
  | {
      readonly type: 'problem'
      readonly problem: { readonly id: string; readonly message: string; readonly help: string }
    }
