import { type LogEvent, type LogEventType, runNumbers } from '@kiroku/protocol'

/** Upper bounds of the histogram of append durations, in s. */
export const appendSecondsBounds = [
  0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const

/** What one partition counts, since its actor began. */
export class Metrics {
  frames = 0
  events = 0
  frameBytes = 0
  appendSecondsSum = 0
  replayEvents = 0
  replaySeconds = 0
  /** From the lock until this owner served. */
  takeOverSeconds = 0
  /** From the last record of the owner before until this one served, by partition time. */
  withoutOwnerSeconds = 0
  checkpoints = 0
  checkpointFailures = 0
  /** Commands that were refused at a limit. */
  busy = 0
  earlyTrims = 0
  readonly appendCounts = new Array<number>(appendSecondsBounds.length + 1).fill(0)
  /** Messages by the fact that moved them. */
  readonly messages = new Map<LogEventType, number>()

  appended(seconds: number): void {
    this.appendSecondsSum += seconds
    let i = 0
    while (i < appendSecondsBounds.length && seconds > appendSecondsBounds[i]!) i++
    this.appendCounts[i] = this.appendCounts[i]! + 1
  }

  frame(events: readonly LogEvent[], bytes: number): void {
    this.frames++
    this.events += events.length
    this.frameBytes += bytes
    for (const e of events) {
      let n = 1
      if ('numbers' in e) {
        n = 0
        for (let i = 1; i < e.numbers.length; i += 2) n += e.numbers[i]!
      } else if ('count' in e) n = e.count
      else if ('runs' in e) {
        n = 0
        for (let i = 1; i < e.runs.length; i += runNumbers) n += e.runs[i]!
      }
      this.messages.set(e.type, (this.messages.get(e.type) ?? 0) + n)
    }
  }
}
