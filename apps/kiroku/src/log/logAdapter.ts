/**
 * The library that keeps the log. Everything that opens a log or needs its placement imports it from here: a
 * second library is chosen here, by a setting, and nothing else of the app knows of it.
 */
export {
  catalogueStream,
  openLog,
  streamPlacements,
  type Disk,
  type StreamPlacement,
  type StreamReplica,
} from '@kiroku/log-jetstream'
