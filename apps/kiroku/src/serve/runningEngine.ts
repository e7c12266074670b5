import { isRunning, readRunFile, type RunFile } from './RunFile.ts'
import { isLive } from './whoListens.ts'

/**
 * The engine that runs in a data folder, if any. The file of a killed engine may name a process id that
 * another program has by now, so its API is asked too.
 */
export const runningEngine = async (dataDir: string): Promise<RunFile | undefined> => {
  const named = readRunFile(dataDir)
  if (named === undefined || named.pid === process.pid || !isRunning(named)) return undefined
  return (await isLive(named)) ? named : undefined
}
