import type { Redrive } from './Redrive.ts'

/** A redrive as `redrive status` prints it. `moved` counts what arrived, `skipped` and `filtered` what stays. */
export interface RedriveDescription extends Omit<
  Redrive,
  'queue' | 'sub' | 'request' | 'upTo' | 'selection'
> {
  readonly queue: string
  readonly dryRun: boolean
  /** What it has sent off and what has not arrived yet; absent: an older node, which counts that as moved. */
  readonly onTheWay?: number
  /** By which the tasks of the parts of a spread queue are known to be one; absent: the queue never was spread. */
  readonly request?: string
}
