import { Durations } from './Durations.ts'
import type { MetricFamily } from './MetricFamily.ts'

/** Requests to the doors for clients of other systems. */
export class DoorRequests {
  readonly #durations = new Durations()

  /**
   * @param action by the name that the system has for it
   * @param code of the error that it was answered with, `ok`, or `gone` where nobody waited for the answer any more
   */
  record(door: string, action: string, code: string, seconds: number): void {
    this.#durations.record({ door, action, code }, seconds)
  }

  /** As a metric. */
  family(): MetricFamily {
    return {
      type: 'histogram',
      name: 'kiroku_door_request_duration_seconds',
      help: 'Duration of requests to a door, by action and by the code of the answer.',
      samples: this.#durations.samples(),
    }
  }
}
