/** An event of a browser's trace, as far as it is read here. Times are µs. */
export interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  /** What the thread itself worked in that time. */
  readonly tdur?: number
}

/** What the main thread of a page did for one picture. */
export interface FrameWork {
  /** Its own work, regardless of other use of the processor, in ms. */
  readonly workMs: number
  /** From the beginning of its first task to the end of its last by the clock, in ms. */
  readonly lastedMs: number
}

/**
 * Splits a trace (`RunTask` and `FireAnimationFrame`) into the pictures of the page that drew most: each is made of
 * the tasks behind the picture before, up to the task that called back for the animation frame.
 */
export const framesOf = (events: readonly TraceEvent[]): FrameWork[] => {
  const drawn = events.filter(({ name }) => name === 'FireAnimationFrame')
  const thread = most(drawn.map(threadOf))
  const isOwn = (event: TraceEvent): boolean => threadOf(event) === thread
  const calls = drawn.filter(isOwn).map(({ ts }) => ts)
  const tasks = events
    .filter((event) => event.name === 'RunTask' && event.dur !== undefined && isOwn(event))
    .sort((a, b) => a.ts - b.ts)
  calls.sort((a, b) => a - b)
  const frames: FrameWork[] = []
  let [work, beganAt, call] = [0, undefined as number | undefined, 0]
  for (const { ts, dur = 0, tdur = 0 } of tasks) {
    beganAt ??= ts
    work += tdur
    while (call < calls.length && calls[call]! < ts) call++
    if (call >= calls.length || calls[call]! > ts + dur) continue
    frames.push({ workMs: work / 1_000, lastedMs: (ts + dur - beganAt) / 1_000 })
    ;[work, beganAt] = [0, undefined]
  }
  return frames
}

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`

const most = (names: readonly string[]): string | undefined => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}
