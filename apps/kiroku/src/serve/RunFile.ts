import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What `kiroku up` leaves for the other commands of its folder. */
export interface RunFile {
  readonly natsUrl: string
  readonly apiUrl: string
  readonly pid: number
  readonly log: string
}

const fileOf = (dataDir: string): string => join(dataDir, 'run.json')

/** Writes it whole or not at all. */
export const writeRunFile = (dataDir: string, content: RunFile): void => {
  const draft = `${fileOf(dataDir)}.${content.pid}`
  writeFileSync(draft, JSON.stringify(content, null, 2) + '\n')
  renameSync(draft, fileOf(dataDir))
}

/** The engine of a folder; undefined where none was started or its file is unreadable. */
export const readRunFile = (dataDir: string): RunFile | undefined => {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as RunFile
  } catch {
    return undefined
  }
}

/** Removes it, unless another engine of the folder wrote it since. */
export const removeRunFile = (dataDir: string, pid: number): void => {
  if (readRunFile(dataDir)?.pid === pid) rmSync(fileOf(dataDir), { force: true })
}

/** Whether the process of a run file still lives. */
export const isRunning = ({ pid }: RunFile): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
