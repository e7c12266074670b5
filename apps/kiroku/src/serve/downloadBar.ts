import { formatBytes } from '@kiroku/protocol'
import { SingleBar } from 'cli-progress'

/** Shows the progress of a download; on a terminal only. */
export interface DownloadBar {
  /** `total` is undefined if the sender did not say it. */
  update(read: number, total: number | undefined): void
  stop(): void
}

/** A bar on stderr that appears with the first bytes. */
export const downloadBar = (): DownloadBar => {
  let bar: SingleBar | undefined
  return {
    update: (read, total) => {
      if (!process.stderr.isTTY) return
      if (bar === undefined) {
        bar = new SingleBar({
          format: total === undefined ? '{size}' : '{bar} {percentage} %, {size}, {eta_formatted} left',
          stream: process.stderr,
          hideCursor: true,
          clearOnComplete: true,
          fps: 10,
        })
        bar.start(total ?? 1, 0, { size: '' })
      }
      bar.update(total === undefined ? 0 : read, { size: formatBytes(read) })
    },
    stop: () => bar?.stop(),
  }
}
