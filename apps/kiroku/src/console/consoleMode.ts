import { isLoopback } from '@kiroku/doors'
import type { Settings } from '../config/settings.ts'

/** What the console may do: on an address that others reach it only looks, unless it is told more. */
export const consoleMode = (
  { console }: Pick<Settings, 'console'>,
  host: string,
): NonNullable<Settings['console']> => console ?? (isLoopback(host) ? 'on' : 'read-only')
