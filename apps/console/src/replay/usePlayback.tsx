import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { ApiError, presentedToken } from '../data/api.ts'
import { useMoment, useScope } from '../data/moment.ts'
import { PlayedContext, PlayingContext } from '../data/played.ts'
import { useSession } from '../data/session.ts'
import { momentText, timeIn } from '../time/timeWindow.ts'
import { useSpan } from '../time/useSpan.ts'
import type { FromWorker, ToWorker } from './PlaybackProtocol.ts'
import type { PlayTarget, Standing } from './Player.ts'

/** The replayed past, and how to move in it. */
export interface Playback {
  /** The state at the chosen moment; undefined: now is chosen, or it is loading. */
  readonly standing: Standing | undefined
  readonly isPlaying: boolean
  /** How many times faster than it happened. */
  readonly speed: number
  readonly error: ApiError | undefined
  readonly setSpeed: (speed: number) => void
  readonly play: () => void
  readonly pause: () => void
  /** One record of the queue's home back or forward. */
  readonly step: (by: 1 | -1) => void
}

const PlaybackContext = createContext<Playback | undefined>(undefined)

/** The replayed past. */
export const usePlayback = (): Playback => {
  const playback = useContext(PlaybackContext)
  if (playback === undefined) throw new Error('there is a playback only inside its provider')
  return playback
}

/**
 * How often the URL follows, in ms, while playing and while stepping: requests to the engine follow at that
 * pace.
 */
const [urlMs, stepUrlMs] = [1_000, 250]
const calmMs = 1_000

/** The moment of a URL as the replay takes it. `home` is where a bare sequence belongs. */
const targetOf = (text: string, home: number): PlayTarget | undefined => {
  const at = timeIn(text)
  if (at !== undefined) return { at }
  const match = /^(?:(\d+)\/)?(\d+)$/.exec(text)
  return match === null ? undefined : { partition: Number(match[1] ?? home), seq: Number(match[2]) }
}

/** What pages of many rows get during playback, once per second. */
const useCalmly = (standing: Standing | undefined): Standing | undefined => {
  const told = useRef<{ readonly standing: Standing; readonly atMs: number }>(undefined)
  if (standing === undefined) told.current = undefined
  else if (told.current === undefined || performance.now() - told.current.atMs >= calmMs)
    told.current = { standing, atMs: performance.now() }
  return told.current?.standing
}

/** Replays the chosen past, in a worker that is started on first use. */
export const PlaybackProvider = ({ children }: { readonly children: ReactNode }) => {
  const { at, setAt } = useMoment()
  const { queue } = useScope()
  const { partitions } = useSession()
  const span = useSpan(queue, false).data
  const home = span?.home ?? 0
  const [standing, setStanding] = useState<Standing>()
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState(1)
  const [error, setError] = useState<ApiError>()
  const worker = useRef<Worker>(undefined)
  /** What this wrote into the URL itself: no jump. */
  const written = useRef<string>(undefined)
  const writtenMs = useRef(0)
  /** Steps are named by their record, play by its time. */
  const isStep = useRef(false)
  const move = useRef({ at, home, isPlaying, setAt })
  move.current = { at, home, isPlaying, setAt }

  const tell = useCallback((message: ToWorker) => worker.current?.postMessage(message), [])

  const isPast = at !== undefined
  useEffect(() => {
    if (!isPast) return
    const own = new Worker(new URL('./replayWorker.ts', import.meta.url), { type: 'module', name: 'replay' })
    worker.current = own
    own.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === 'paused') setPlaying(false)
      else if (data.type === 'problem') {
        const { id, message, help } = data.problem
        setError(new ApiError(id, message, help, false, 0))
      } else {
        setError(undefined)
        setStanding(data.standing)
      }
    }
    const all = Array.from({ length: partitions }, (_, i) => i)
    own.postMessage({ type: 'open', token: presentedToken(), partitions: all, queue: queue ?? '-' })
    return () => {
      own.terminate()
      worker.current = undefined
      written.current = undefined
      setStanding(undefined)
      setPlaying(false)
    }
  }, [isPast, partitions, queue])

  useEffect(() => {
    if (at === undefined || at === written.current) return
    const target = targetOf(at, home)
    if (target === undefined) return
    written.current = undefined
    tell({ type: 'pause' })
    tell({ type: 'seek', target })
  }, [at, home, queue, tell])

  useEffect(() => {
    // The replay is already at the URL's moment.
    if (standing === undefined || written.current === undefined) return
    const write = (): void => {
      const { at: ifAt, home: own, setAt: go } = move.current
      if (ifAt === undefined || written.current === undefined) return
      writtenMs.current = performance.now()
      written.current = isStep.current ? `${own}/${standing.seqs[own]}` : momentText(standing.at)
      // A reader who has gone elsewhere meanwhile stays there.
      go(written.current, { replace: true, ifAt })
    }
    const dueMs = writtenMs.current + (isPlaying ? urlMs : stepUrlMs) - performance.now()
    if (dueMs <= 0) return write()
    const timer = setTimeout(write, dueMs)
    return () => clearTimeout(timer)
  }, [standing, isPlaying])

  const play = useCallback(() => {
    written.current = ''
    isStep.current = false
    setPlaying(true)
    tell({ type: 'play', speed })
  }, [speed, tell])
  const pause = useCallback(() => {
    setPlaying(false)
    tell({ type: 'pause' })
  }, [tell])
  const step = useCallback(
    (by: 1 | -1) => {
      written.current = ''
      isStep.current = true
      setPlaying(false)
      tell({ type: 'step', partition: move.current.home, by })
    },
    [tell],
  )
  const changeSpeed = useCallback(
    (next: number) => {
      setSpeed(next)
      if (move.current.isPlaying) tell({ type: 'play', speed: next })
    },
    [tell],
  )
  const playback = useMemo(
    () => ({ standing, isPlaying, speed, error, setSpeed: changeSpeed, play, pause, step }),
    [standing, isPlaying, speed, error, changeSpeed, play, pause, step],
  )
  return (
    <PlayingContext value={isPlaying}>
      <PlayedContext value={useCalmly(isPlaying ? standing : undefined)}>
        <PlaybackContext value={playback}>{children}</PlaybackContext>
      </PlayedContext>
    </PlayingContext>
  )
}
