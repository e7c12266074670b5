import { formatBytes } from '@kiroku/protocol'
import { SingleBar } from 'cli-progress'

/** Shows the progress of a long send; on a terminal only. */
export interface Progress {
  update(sent: number, bytesRead: number): void
  stop(): void
}

/** A bar on stderr. `bytesTotal` is undefined where the input's size is not known. */
export const startProgress = (bytesTotal: number | undefined): Progress => {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} }
  const startedMs = performance.now()
  const bar = new SingleBar({
    format:
      bytesTotal === undefined
        ? '{messages} messages, {size}, {rate}/s'
        : '{bar} {percentage} %, {messages} messages, {rate}/s, {eta_formatted} left',
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    fps: 10,
  })
  bar.start(bytesTotal ?? 1, 0, { messages: 0, size: '', rate: 0 })
  return {
    update: (sent, bytesRead) => {
      const seconds = (performance.now() - startedMs) / 1_000
      const rate = seconds === 0 ? 0 : Math.round(sent / seconds)
      bar.update(bytesTotal === undefined ? 0 : Math.min(bytesRead, bytesTotal), {
        messages: sent,
        size: formatBytes(bytesRead),
        rate,
      })
    },
    stop: () => bar.stop(),
  }
}
