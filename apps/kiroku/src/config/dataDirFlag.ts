import { resolve } from 'node:path'
import { shellWord } from '../cli/shellWord.ts'
import type { ConfigFile } from './ConfigFile.ts'
import { resolveSettings } from './resolveSettings.ts'
import type { Settings } from './settings.ts'

/**
 * The flag that commands in this folder need to find an engine's data, with a space ahead of it; empty where they find
 * it without.
 */
export const dataDirFlag = ({ config, dataDir }: Settings, file: ConfigFile): string => {
  // A file that was named here is not read by those that do not name it.
  const read = config === undefined ? file : { ...file, root: {} }
  const usual = resolveSettings({ flags: {}, env: {}, file: read }).dataDir
  return resolve(usual) === resolve(dataDir) ? '' : ` --data-dir ${shellWord(dataDir)}`
}
