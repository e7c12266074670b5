import { rangeTotal, type Ranges, type Redrive } from '@kiroku/protocol'

/** A redrive as the record has it. */
export const recordedRedrive = (r: Redrive): Redrive => ({
  ...r,
  targets: r.targets.map((t) => ({ ...t })),
  skipped: r.state === 'running' ? {} : r.skipped,
  filtered: r.state === 'running' ? 0 : r.filtered,
  left: r.state === 'running' ? 0 : r.left,
})

/** How every redrive begins: with this many messages to examine, or those selected. */
export const begun = (
  deliverable: number,
  selection: Ranges | undefined,
): Pick<
  Redrive,
  'state' | 'endedAt' | 'note' | 'moved' | 'targets' | 'skipped' | 'filtered' | 'left' | 'selected'
> => ({
  state: 'running',
  endedAt: 0,
  note: '',
  moved: 0,
  targets: [],
  skipped: {},
  filtered: 0,
  left: selection === undefined ? deliverable : rangeTotal(selection),
  ...(selection === undefined ? undefined : { selected: rangeTotal(selection) }),
})

/** Counts messages that went to a queue. */
export const addTarget = (redrive: Redrive, queue: string, count: number): void => {
  redrive.moved += count
  const target = redrive.targets.find((t) => t.queue === queue)
  if (target === undefined) redrive.targets.push({ queue, moved: count })
  else target.moved += count
}

/** Ends a redrive whose subscription was reset or deleted. */
export const failRedrive = (redrive: Redrive, now: number): void => {
  redrive.state = 'failed'
  redrive.endedAt = now
  redrive.note = 'the subscription was reset or deleted'
  // What was only counted so far is known to no replay.
  redrive.skipped = {}
  redrive.filtered = 0
  redrive.left = 0
  delete redrive.selection
}
