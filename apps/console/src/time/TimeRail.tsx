import { useMemo, useRef, useState } from 'react'
import { useMoment, useScope } from '../data/moment.ts'
import { useLive } from '../data/useFeed.ts'
import { clock, shortDuration, time } from '../parts/format.ts'
import { useNarrow } from '../parts/useNarrow.ts'
import { usePlayback } from '../replay/usePlayback.tsx'
import { useKeys } from '../shell/useKeys.ts'
import { Histogram } from './Histogram.tsx'
import { happenedAround, MomentTip } from './MomentTip.tsx'
import { Slider } from './Slider.tsx'
import { momentText, shareOf, windowAround, zooms } from './timeWindow.ts'
import { useRailHistory } from './useRailHistory.ts'
import { useMomentTime, useSpan } from './useSpan.ts'
import styles from './TimeRail.module.css'

const speeds = [1, 10, 100, 1_000] as const
/** How often the URL follows while dragging, in ms. */
const dragMs = 80
/** Number of bars on the slider, and on a phone. */
const [barsMax, barsMaxNarrow] = [240, 90]

/** The slider over the record, on every page: choose a moment, play, step, and back to now. */
export const TimeRail = () => {
  const { at, setAt } = useMoment()
  const { queue } = useScope()
  const { isLive } = useLive()
  const playback = usePlayback()
  const isNarrow = useNarrow()
  const [zoom, setZoom] = useState<(typeof zooms)[number]['key']>('all')
  const [dragged, setDragged] = useState<number>()
  const movedMs = useRef(0)
  const isPast = at !== undefined
  const span = useSpan(queue, isLive && !isPast && document.visibilityState === 'visible').data
  const asked = useMomentTime()
  useKeys({
    '[': () => playback.step(-1),
    ']': () => playback.step(1),
    ' ': () => (playback.isPlaying ? playback.pause() : playback.play()),
  })
  const shownAt = dragged ?? (isPast ? (playback.standing?.at ?? asked) : span?.to.at)
  const record = useMemo(
    () =>
      span === undefined ? undefined : { from: span.from.at, to: Math.max(span.to.at, span.from.at + 1) },
    [span],
  )
  const anchor = useRef<number>(undefined)
  if (dragged === undefined) anchor.current = shownAt
  const ms = zooms.find(({ key }) => key === zoom)!.ms
  const shown =
    record === undefined || shownAt === undefined
      ? undefined
      : windowAround(record, anchor.current ?? shownAt, ms)
  const history = useRailHistory(queue, shown, isNarrow ? barsMaxNarrow : barsMax).data
  const toNow = (
    <button type="button" className="button small" onClick={() => setAt(undefined)} title="Back to now  n">
      Now
    </button>
  )
  // It must be possible to leave a moment that does not exist.
  if (record === undefined || shownAt === undefined || shown === undefined)
    return (
      <section className={styles['rail']} data-past={isPast} aria-label="Time">
        <span className={styles['title']}>History</span>
        {isPast && <div className={styles['moment']}>{toNow}</div>}
      </section>
    )
  const move = (to: number, isLast: boolean): void => {
    setDragged(isLast ? undefined : to)
    if (isLast && to >= record.to) return setAt(undefined)
    const now = performance.now()
    if (!isLast && now - movedMs.current < dragMs) return
    movedMs.current = now
    setAt(momentText(to), { replace: isPast })
  }
  const home = span?.home
  const seq = home === undefined ? undefined : playback.standing?.seqs[home]
  const text = isPast ? `${time(shownAt)}${clock(shownAt).slice(8)}` : 'Now'
  const said = history === undefined ? text : `${text}: ${happenedAround(history, shownAt)}`
  return (
    <section className={styles['rail']} data-past={isPast} aria-label="Time">
      {isPast ? (
        <div className={styles['controls']}>
          <button
            type="button"
            className="button small"
            onClick={() => playback.step(-1)}
            aria-label="One record back"
            title="One record back  ["
          >
            ◂
          </button>
          <button
            type="button"
            className="button small strong"
            onClick={() => (playback.isPlaying ? playback.pause() : playback.play())}
          >
            {playback.isPlaying ? 'Pause' : 'Play'}
          </button>
          <button
            type="button"
            className="button small"
            onClick={() => playback.step(1)}
            aria-label="One record forward"
            title="One record forward  ]"
          >
            ▸
          </button>
          <select
            className={styles['select']}
            aria-label="Speed"
            value={playback.speed}
            onChange={(event) => playback.setSpeed(Number(event.target.value))}
          >
            {speeds.map((speed) => (
              <option key={speed} value={speed}>
                {speed}×
              </option>
            ))}
          </select>
        </div>
      ) : (
        <span className={styles['title']}>History</span>
      )}
      <label className={styles['range']}>
        Range
        <select
          className={styles['select']}
          value={zoom}
          onChange={(event) => setZoom(event.target.value as typeof zoom)}
        >
          {zooms.map(({ key, name }) => (
            <option key={key} value={key}>
              {key === 'all' ? `${name} (${shortDuration(record.to - record.from)})` : name}
            </option>
          ))}
        </select>
      </label>
      <div className={styles['track']}>
        <Slider
          window={shown}
          handles={[{ name: 'Moment', at: shownAt, text: said, onMove: move }]}
          tip={(tipAt) => <MomentTip at={tipAt} history={history} window={shown} />}
        >
          {history !== undefined && <Histogram history={history} window={shown} />}
          <span className={styles['later']} style={{ left: `${shareOf(shown, shownAt) * 100}%` }} />
          {history?.acts
            .filter((act) => act.at >= shown.from && act.at <= shown.to)
            .map(({ at: actAt, partition, seq, event }) => (
              <span
                key={`${partition}/${seq} ${event}`}
                className={styles['mark']}
                data-act={event}
                style={{ left: `${shareOf(shown, actAt) * 100}%` }}
              />
            ))}
        </Slider>
      </div>
      <div className={styles['moment']}>
        <output data-at={shownAt} data-seq={seq} data-stands-at={playback.standing?.at}>
          {text}
          {isPast && (
            <span className={styles['seq']}>
              {playback.isPlaying && playback.standing?.isReading !== false
                ? 'reading ahead…'
                : seq !== undefined && `seq ${home}/${seq}`}
            </span>
          )}
        </output>
        {isPast && toNow}
      </div>
      {playback.error !== undefined && (
        <p className={styles['error']} role="alert">
          {playback.error.message} {playback.error.help}
        </p>
      )}
    </section>
  )
}
