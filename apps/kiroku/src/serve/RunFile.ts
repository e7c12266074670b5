import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

/** The file by which `kiroku up` is found by other commands in its folder. */
export interface RunFile {
  readonly natsUrl: string
  /** Where the keys to it are, as `Access` takes it; absent: an earlier version wrote this. */
  readonly serverFolder?: string
  readonly apiUrl: string
  /** File with the certificate of the API; absent: it speaks plain HTTP. */
  readonly apiCert?: string
  readonly pid: number
  readonly log: string
}

const fileOf = (dataDir: string): string => join(dataDir, 'run.json')

/** The engine of a folder; undefined if none was started or its file is unreadable. */
export const readRunFile = (dataDir: string): RunFile | undefined => {
  try {
    const { natsUrl, pid, ...rest } = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as RunFile
    return typeof natsUrl === 'string' && Number.isInteger(pid) ? { natsUrl, pid, ...rest } : undefined
  } catch {
    return undefined
  }
}

/** Whether a process still lives, as that of a run file. */
export const isRunning = ({ pid }: Pick<RunFile, 'pid'>): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** How often an engine checks whether the folder's file names an engine that is gone, in ms. */
const lookMs = 1_000

/**
 * Writes this engine into the folder's file, now or as soon as the engine named there is gone: several
 * engines may share a folder. Returns a function that undoes it.
 */
export const keepRunFile = (dataDir: string, ours: RunFile): (() => void) => {
  const look = (): void => {
    const named = readRunFile(dataDir)
    // What names this process may still be damaged, or of a killed engine that had its id in a container.
    const isOurs = named?.pid === ours.pid
    if (named === undefined || !isRunning(named) || (isOurs && !isDeepStrictEqual(named, ours)))
      write(dataDir, ours)
  }
  look()
  const timer = setInterval(look, lookMs).unref()
  return () => {
    clearInterval(timer)
    if (readRunFile(dataDir)?.pid === ours.pid) rmSync(fileOf(dataDir), { force: true })
  }
}

/** Atomic: readers never see a partial file. A folder that does not take it costs nothing but that the engine is found. */
const write = (dataDir: string, content: RunFile): void => {
  const draft = `${fileOf(dataDir)}.${content.pid}`
  try {
    writeFileSync(draft, JSON.stringify(content, null, 2) + '\n')
    renameSync(draft, fileOf(dataDir))
  } catch {
    rmSync(draft, { force: true })
  }
}
