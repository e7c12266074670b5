import type { OnProgress } from '@kiroku/audit'

/** How often the line on a terminal changes, in ms. */
const showMs = 100

/** Shows on a terminal how far a reading of the log is; `done` clears the line. */
export const showProgress = (): { readonly onProgress: OnProgress; readonly done: () => void } => {
  if (!process.stderr.isTTY) return { onProgress: () => {}, done: () => {} }
  let shownMs = 0
  return {
    onProgress: ({ partition, seq, lastSeq, events }) => {
      const nowMs = performance.now()
      if (nowMs - shownMs < showMs) return
      shownMs = nowMs
      process.stderr.write(`\r\x1b[Kpartition ${partition}: record ${seq} of ${lastSeq}, ${events} events`)
    },
    done: () => void process.stderr.write('\r\x1b[K'),
  }
}
