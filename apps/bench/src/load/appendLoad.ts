import { fsyncSync, openSync, closeSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { serveTasks } from '../LoadProcess.ts'

const file = openSync(join(process.argv[2]!, 'appended'), 'a', 0o600)

const tasks = {
  /** Appends records of `bytes` bytes for `forMs` ms, each fsynced before the next; returns records per second. */
  append: ({ bytes, forMs }: { bytes: number; forMs: number }): number => {
    const record = Buffer.alloc(bytes, 120)
    const beganMs = performance.now()
    let tookMs = 0
    let records = 0
    for (; tookMs < forMs; tookMs = performance.now() - beganMs, records++) {
      writeSync(file, record)
      fsyncSync(file)
    }
    return (records * 1_000) / tookMs
  },
}

/** What this process can be asked. */
export type AppendLoad = typeof tasks

serveTasks(tasks, () => closeSync(file))
