import type { Snapshot } from '@kiroku/partition'
import type { LogEvent } from '@kiroku/protocol'
import type { Recording } from '../browser/Recording.ts'

/**
 * A recording without the texts of errors: its frames have messages of all kinds, and a replay needs none of these texts.
 */
export const withoutErrors = (recording: Recording): Recording => {
  const { state, steps, ...rest } = recording
  return {
    ...rest,
    ...(state === undefined ? {} : { state: silent(state) }),
    steps: steps.map((step) =>
      'events' in step
        ? { ...step, events: step.events.map(silentEvent) }
        : { ...step, state: silent(step.state) },
    ),
  }
}

const silentEvent = (event: LogEvent): LogEvent => ('error' in event ? { ...event, error: '' } : event)

const silent = (state: Snapshot): Snapshot => ({
  ...state,
  queues: state.queues.map((queue) => ({
    ...queue,
    subs: queue.subs.map((sub) =>
      sub.hold === undefined ? sub : { ...sub, hold: { ...sub.hold, error: '' } },
    ),
  })),
  outbox: state.outbox.map((lane) => ({
    ...lane,
    entries: lane.entries.map((entry) => ({ ...entry, error: '' })),
  })),
})
