/**
 * Seeds that found something when they did, and what. What a seed decides changes with the simulator, so each
 * of these defects is also in `brokenEngines` or in a test next to the code.
 */
export const corpus: ReadonlyArray<{ readonly seed: number; readonly found: string }> = [
  { seed: 464, found: 'leases lost the time of a clock’s jump when the first frame behind a fence was lost' },
  { seed: 47, found: 'a node that stood still between looking at the log and fencing took it back' },
  { seed: 44, found: 'a checkpoint of the next owner looked like the end of a log that was cut' },
  { seed: 263, found: 'an idle answer counted a frame from before the question as proof of ownership' },
  { seed: 1, found: 'a consumer gave capped leases back for ever instead of beginning' },
  { seed: 14_110, found: 'the past was restored with a body ahead of its frame that a lost end had trimmed' },
  { seed: 261, found: 'a tenant of whom a receive met only exhausted messages was never served again' },
  { seed: 108, found: 'a queue whose schema was checked while too much waited was never answered' },
]
