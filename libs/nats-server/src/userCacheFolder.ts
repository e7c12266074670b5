import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder of this user in which Kiroku keeps what it can get again. */
export const userCacheFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  join(
    env['XDG_CACHE_HOME'] ||
      (process.platform === 'win32' && env['LOCALAPPDATA']) ||
      join(homedir(), '.cache'),
    'kiroku',
  )
