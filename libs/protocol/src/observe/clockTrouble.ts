import type { PartitionClock } from './PartitionDescription.ts'

/** What is wrong with a partition's clocks, and what can be done about it. */
export interface ClockTrouble {
  readonly what: string
  readonly advice: string
}

/** Says what is wrong with a partition's clocks, with their figures; undefined where they agree. */
export const clockTrouble = (partition: number, clock: PartitionClock): ClockTrouble | undefined => {
  const { state, partitionMs, storeMs, nodeMs } = clock
  const apart = `the clock of NATS says ${iso(storeMs)}, that of its node ${iso(nodeMs)}`
  switch (state) {
    case 'agreed':
      return undefined
    case 'disputed':
      return {
        what: `partition ${partition}: ${apart}; its own time continues from the last certain one, now ${iso(partitionMs)}: whatever a step to either clock would end, expire or deliver waits`,
        advice: `Correct the wrong clock: once they agree, time continues by itself. Or say which one is right: \`kiroku cluster clock --accept ${storeMs > nodeMs ? 'node' : 'store'}\` or \`--accept ${storeMs > nodeMs ? 'store' : 'node'}\`.`,
      }
    case 'ahead':
      return {
        what: `partition ${partition}: its time is ${iso(partitionMs)}, but ${apart}: an earlier owner trusted a clock that was ahead`,
        advice:
          'Nothing needs to be done: leases, delays and retention run as long as they should, and time without an owner is not counted before the clocks have caught up. Partition time never goes back, since the record is searched by it.',
      }
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()
