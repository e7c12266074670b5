import type { Snapshot } from '@kiroku/partition'
import type { LogEvent } from '@kiroku/protocol'

/** A record of a partition. */
export interface RecordingPart {
  /** 0: the beginning of the log. */
  readonly seq: number
  /** Partition time in ms. */
  readonly at: number
  /** Its hash in hex: by it the next recording is known to continue the same chain. */
  readonly hash: string
}

/** A frame without its bodies. */
export interface RecordedFrame {
  readonly seq: number
  /** Partition time in ms. */
  readonly at: number
  readonly events: readonly LogEvent[]
}

/** A state that replaces damaged records: a repair continued from there. */
export interface RecordedJump {
  readonly seq: number
  readonly at: number
  readonly state: Snapshot
}

/** A range of one partition's record, for a replay elsewhere: its chain was checked, and it has no bodies. */
export interface Recording {
  /** Name of the incarnation of the log. */
  readonly incarnation: string
  readonly partition: number
  /** Records that the log had. */
  readonly firstSeq: number
  readonly lastSeq: number
  /** The last record that the requested moment contains. */
  readonly askedSeq: number
  /** Where it begins: the first step comes after it. */
  readonly start: RecordingPart
  /** The partition's state there, if requested. */
  readonly state?: Snapshot
  readonly steps: readonly (RecordedFrame | RecordedJump)[]
  /** Where it ends, and the next one begins. */
  readonly end: RecordingPart
  /** The log had nothing more. */
  readonly reachesEnd: boolean
}
