import { clock, time } from '../parts/format.ts'
import { offsetMs } from '../parts/zone.ts'
import { ticksOf, type TimeWindow } from './timeWindow.ts'

const dayMs = 86_400_000

/** Round times of the clock that is shown, to write under a window: at most about `max`. Days are named by their date. */
export const clockTicks = (
  window: TimeWindow,
  max: number,
): readonly { readonly at: number; readonly text: string }[] => {
  const ahead = offsetMs(window.to)
  const ticks = ticksOf({ from: window.from + ahead, to: window.to + ahead }, max).map((at) => at - ahead)
  const isFine = ticks.length > 1 && ticks[1]! - ticks[0]! < 60_000
  return ticks.map((at) => ({
    at,
    text: (at + ahead) % dayMs === 0 ? time(at).slice(5, 10) : clock(at).slice(0, isFine ? 8 : 5),
  }))
}
