import { encodeRecording, recordingOf, spanOf, type SavedStateStore } from '@kiroku/audit'
import { Replayer } from '@kiroku/audit/browser'
import { decodeCheckpoint } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { atMost, informs, median, type Figure } from '../Figure.ts'
import type { Progress } from '../Progress.ts'
import { queueName } from './writeRecord.ts'

const compress = promisify(gzip)

/** Positions requested, and steps taken at each. */
const positions = 30
const steps = 20

/** What a reader of a log in a browser waits for: any position, and neighbouring frames. */
export const replayAway = async (
  log: Log,
  moments: SavedStateStore,
  progress: Progress,
): Promise<Figure[]> => {
  const options = { decodeCheckpoint, moments, now: Date.now() }
  const spans = await timed(() => spanOf(log, queueName, options))
  const { firstSeq, lastSeq } = spans.answer.partitions[0]!
  const [made, opened, on, back, more] = [[], [], [], [], []] as number[][] as [
    number[],
    number[],
    number[],
    number[],
    number[],
  ]
  const sizes: number[] = []
  progress.step('replaying elsewhere')
  for (let i = 0; i < positions; i++) {
    // Spread evenly without a rhythm, by the golden section.
    const seq = firstSeq + Math.floor(((i * 0.618_034) % 1) * (lastSeq - firstSeq))
    const recorded = await timed(async () =>
      encodeRecording(await recordingOf(log, queueName, { seq }, { ...options, withState: true })),
    )
    made!.push(recorded.ms)
    sizes.push((await compress(recorded.answer, { level: 1 })).length)
    const replay = await timed(() => Promise.resolve(Replayer.open(recorded.answer)))
    opened!.push(replay.ms)
    const replayer = replay.answer
    for (let s = 0; s < steps; s++) {
      on!.push((await timed(() => Promise.resolve(replayer.step(1)))).ms)
      back!.push((await timed(() => Promise.resolve(replayer.step(-1)))).ms)
    }
    const next = await timed(async () =>
      replayer.extend(encodeRecording(await recordingOf(log, queueName, { seq: replayer.next }, options))),
    )
    if (!replayer.reachesEnd) more!.push(next.ms)
  }
  const whole = made!.map((ms, i) => ms + opened![i]!)
  return [
    atMost('how far one can look back', spans.ms, 'ms', 50),
    atMost('any position of a replay elsewhere, slowest', Math.max(...whole), 'ms', 2_000),
    informs('the same, median', median(whole), 'ms'),
    informs('of it in the browser, slowest', Math.max(...opened!), 'ms'),
    informs('its size on the way, largest', Math.max(...sizes) / 1e6, 'MB'),
    atMost('a frame on, slowest', Math.max(...on!), 'ms', 100),
    atMost('a frame back, slowest', Math.max(...back!), 'ms', 100),
    informs('a frame back, median', median(back!), 'ms'),
    informs('the frames behind it, median', median(more!), 'ms'),
  ]
}

const timed = async <A>(run: () => Promise<A>): Promise<{ answer: A; ms: number }> => {
  const began = performance.now()
  const answer = await run()
  return { answer, ms: performance.now() - began }
}
