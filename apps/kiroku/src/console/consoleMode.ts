import { isLoopback } from '@kiroku/doors'
import type { Settings } from '../config/settings.ts'

/** The console's mode: read-only on an address beyond loopback, unless set otherwise. */
export const consoleMode = (
  { console }: Pick<Settings, 'console'>,
  host: string,
): NonNullable<Settings['console']> => console ?? (isLoopback(host) ? 'on' : 'read-only')
