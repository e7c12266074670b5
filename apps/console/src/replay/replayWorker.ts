/**
 * Replays the record in a worker of the browser: fetches recordings, runs the engine's own code over them,
 * and reports the state to the page.
 */
import { ApiError, requestAs, urlOf } from '../data/api.ts'
import type { FromWorker, ToWorker } from './PlaybackProtocol.ts'
import { Player, type PlayTarget, type Standing } from './Player.ts'

/** Between two pictures while it plays, in ms. */
const tickMs = 100

/** Frames of one recording at most: what is in them limits it sooner. */
const framesMax = 10_000

const tell = (message: FromWorker): void => postMessage(message)

let player: Player | undefined
let speed = 0
/** The latest requested moment; earlier ones are obsolete. */
let wanted: PlayTarget | undefined
/** One thing after the other: a replay has one state. */
let busy: Promise<void> = Promise.resolve()

const inTurn = (work: (player: Player) => Promise<Standing | undefined> | Standing | undefined): void => {
  busy = busy.then(async () => {
    if (player === undefined) return
    try {
      const standing = await work(player)
      if (standing !== undefined) tell({ type: 'standing', standing })
    } catch (error) {
      pause()
      const { id, message, help } =
        error instanceof ApiError
          ? error
          : { id: 'Internal', message: error instanceof Error ? error.message : String(error), help: '' }
      tell({ type: 'problem', problem: { id, message, help } })
    }
  })
}

const pause = (): void => {
  if (speed !== 0) tell({ type: 'paused' })
  speed = 0
}

const play = (): void => {
  const startedMs = performance.now()
  let from: number | undefined
  let isTicking = false
  const mine = speed
  const timer = setInterval(() => {
    if (speed !== mine) return clearInterval(timer)
    // A replay that cannot keep up leaves pictures out.
    if (isTicking) return
    isTicking = true
    inTurn((now) => {
      isTicking = false
      const passedMs = (performance.now() - startedMs) * mine
      from ??= now.at - passedMs
      if (speed !== mine) return undefined
      const standing = now.advance(from + passedMs, mine)
      // Time is frozen while it waits for the record: it continues from its position.
      if (standing.isReading) from = standing.at - passedMs
      if (standing.isEnd) pause()
      return standing
    })
  }, tickMs)
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case 'open': {
      const { token, partitions, queue } = data
      speed = 0
      player = new Player(partitions, async (partition, { from, withState, work }) => {
        const path = `/v1/queues/${encodeURIComponent(queue)}/recording`
        const asked = {
          ...{ partition, from, frames: framesMax },
          ...(withState ? { state: 1 } : {}),
          ...(work === undefined ? {} : { work }),
        }
        return new Uint8Array(await (await requestAs(token, urlOf(path, asked))).arrayBuffer())
      })
      return
    }
    case 'seek': {
      wanted = data.target
      inTurn((now) => {
        const target = wanted
        wanted = undefined
        return target === undefined ? Promise.resolve(undefined) : now.seek(target)
      })
      return
    }
    case 'step':
      pause()
      return inTurn((now) => now.step(data.partition, data.by))
    case 'play':
      pause()
      speed = data.speed
      return play()
    case 'pause':
      return pause()
  }
})
