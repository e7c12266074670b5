import type { Snapshot } from '@kiroku/partition'
import type { LogEvent } from '@kiroku/protocol'

/** A record of a partition. */
export interface RecordingPart {
  /** 0: the beginning of the log. */
  readonly seq: number
  /** Partition time in ms. */
  readonly at: number
  /** Its hash in hex: by it a recording that goes on behind it is known to be of the same chain. */
  readonly hash: string
}

/** A frame without its bodies. */
export interface RecordedFrame {
  readonly seq: number
  /** Partition time in ms. */
  readonly at: number
  readonly events: readonly LogEvent[]
}

/** A state that stands for records which are damaged: a repair went on from there. */
export interface RecordedJump {
  readonly seq: number
  readonly at: number
  readonly state: Snapshot
}

/** A stretch of one partition's record, for a replay elsewhere: its chain was checked, and it has no bodies. */
export interface Recording {
  /** Name of the incarnation of the log. */
  readonly incarnation: string
  readonly partition: number
  /** Records that the log had. */
  readonly firstSeq: number
  readonly lastSeq: number
  /** The last record that the moment contains which was asked for. */
  readonly askedSeq: number
  /** Where it begins: the first step is behind it. */
  readonly start: RecordingPart
  /** The partition's state there, where it was asked for. */
  readonly state?: Snapshot
  readonly steps: readonly (RecordedFrame | RecordedJump)[]
  /** Where it ends, and another goes on. */
  readonly end: RecordingPart
  /** There was nothing more. */
  readonly reachesEnd: boolean
}
