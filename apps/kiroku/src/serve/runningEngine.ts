import { isRunning, readRunFile, type RunFile } from './RunFile.ts'
import { isLive } from './whoListens.ts'

/**
 * The engine that runs in a data folder, where one does. What a killed engine left may name a process that is
 * another program's by now, so its API is asked, too.
 */
export const runningEngine = async (dataDir: string): Promise<RunFile | undefined> => {
  const named = readRunFile(dataDir)
  if (named === undefined || named.pid === process.pid || !isRunning(named)) return undefined
  return (await isLive(named.apiUrl)) ? named : undefined
}
