import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@kiroku/client'
import type { RedriveDescription } from '@kiroku/protocol'
import { SingleBar } from 'cli-progress'

const lookMs = 300

/**
 * Follows a redrive until it ends, with a progress bar on stderr if that is a terminal. Returns early, with
 * what is known, when the signal is aborted.
 */
export const followRedrive = async (
  client: Client,
  begun: RedriveDescription,
  signal: AbortSignal,
): Promise<RedriveDescription> => {
  const bar = process.stderr.isTTY ? startBar(begun) : undefined
  const fromMs = performance.now()
  try {
    let redrive = begun
    while (redrive.state === 'running' && !signal.aborted) {
      await pause(lookMs, undefined, { signal }).catch(() => undefined)
      const all = await client.queues.redrives(begun.queue)
      redrive = all.find(({ task }) => task === begun.task) ?? redrive
      bar?.update(lookedAt(redrive), {
        moved: redrive.moved,
        rate: Math.round((1_000 * (redrive.moved - begun.moved)) / (performance.now() - fromMs)),
      })
    }
    return redrive
  } finally {
    bar?.stop()
  }
}

const startBar = (redrive: RedriveDescription): SingleBar => {
  const bar = new SingleBar({
    format: '{bar} {percentage} %, {moved} moved, {rate}/s, {eta_formatted} left',
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    fps: 10,
  })
  bar.start(Math.max(1, totalOf(redrive)), lookedAt(redrive), { moved: redrive.moved, rate: 0 })
  return bar
}

const lookedAt = ({ moved, onTheWay = 0, filtered, skipped }: RedriveDescription): number =>
  Object.values(skipped).reduce((sum, count) => sum + count, moved + onTheWay + filtered)

const totalOf = (redrive: RedriveDescription): number => {
  const total = lookedAt(redrive) + redrive.left
  return redrive.messagesMax === 0 ? total : Math.min(total, redrive.messagesMax)
}
