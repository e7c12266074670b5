import type { OnProgress } from '@kiroku/audit'

/** How often the line on a terminal changes, in ms, and after which time it first shows. */
const showMs = 100
const barWidth = 24

/** Takes a terminal back to the beginning of its line, and empties that. */
export const clearLine = '\r\x1b[K'

/**
 * Shows the progress of reading the log on a terminal, with its rate and the time left; `done` clears the
 * line.
 */
export const showProgress = (): { readonly onProgress: OnProgress; readonly done: () => void } => {
  if (!process.stderr.isTTY) return { onProgress: () => {}, done: () => {} }
  const beganMs = performance.now()
  let shownMs = beganMs
  let partBeganMs = beganMs
  let part: { partition: number; seq: number } | undefined
  let last = { seq: 0, events: 0 }
  let eventsBefore = 0
  return {
    onProgress: ({ partition, seq, lastSeq, events }) => {
      const nowMs = performance.now()
      // A read that restarts, maybe of the same partition.
      if (events < last.events) eventsBefore += last.events
      if (part?.partition !== partition || seq < last.seq) {
        part = { partition, seq: Math.max(0, seq - 1) }
        partBeganMs = nowMs
      }
      last = { seq, events }
      if (nowMs - shownMs < showMs) return
      shownMs = nowMs
      const share = Math.min(1, seq / Math.max(1, lastSeq))
      const allEvents = eventsBefore + events
      const rate = (allEvents / (nowMs - beganMs)) * 1_000
      const recordsPerMs = (seq - part.seq) / Math.max(1, nowMs - partBeganMs)
      const leftMs = recordsPerMs > 0 ? (lastSeq - seq) / recordsPerMs : 0
      process.stderr.write(`${clearLine}${lineOf(partition, share, allEvents, rate, leftMs)}`)
    },
    done: () => void process.stderr.write(clearLine),
  }
}

const lineOf = (partition: number, share: number, events: number, rate: number, leftMs: number): string => {
  const filled = Math.round(share * barWidth)
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
  const figures = `${grouped(events)} events, ${grouped(rate)}/s, ${Math.ceil(leftMs / 1_000)} s left`
  return `partition ${partition} ${bar} ${Math.floor(share * 100)} %  ${figures}`
}

const grouped = (n: number): string => Math.round(n).toLocaleString('en')
