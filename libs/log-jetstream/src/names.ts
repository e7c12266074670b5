import { isLogName, KirokuError, logNameRule } from '@kiroku/protocol'

/** The bucket with the fixed properties of each log, and the key of one log in it. */
export const catalogueBucket = 'KIROKU_CATALOGUE'

/** The stream behind it, which every log needs. */
export const catalogueStream = `KV_${catalogueBucket}`
export const catalogueKey = (log: string): string => `log.${log}`

export const streamName = (log: string, partition: number): string => `KIROKU_${log}_${partition}`
/** With `*`: the subjects of all partitions. */
export const subjectName = (log: string, partition: number | '*'): string => `kiroku.log.${log}.${partition}`
/** Where an owner tells how far a partition's log goes. */
export const newsSubject = (log: string, partition: number): string => `kiroku.stored.${log}.${partition}`
/** A stream that is created and removed again by one process, to see whether NATS can create a log's. */
export const probeName = (log: string, process: string) => ({
  stream: `KIROKU_${log}_PROBE_${process}`,
  subject: `kiroku.probe.${log}.${process}`,
})
/** The stream that reserves room in a store which does not report its room. */
export const ballastName = (log: string) => ({
  stream: `KIROKU_${log}_BALLAST`,
  subject: `kiroku.ballast.${log}`,
})
/** The bucket with the keys of a log's erasable queues. */
export const keyBucket = (log: string): string => `KIROKU_${log}_KEYS`
export const checkpointBucket = (log: string): string => `KIROKU_${log}_CHECKPOINTS`

/** Refuses names that cannot be part of a stream's name and a subject. */
export const checkLogName = (log: string): void => {
  if (!isLogName(log)) throw new KirokuError('InvalidArgument', `--log "${log}": ${logNameRule}`)
}
