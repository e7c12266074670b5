import type { KirokuError } from '@kiroku/protocol'

/** Whether a log cannot be read on: its partition is quarantined until a repair, or a newer version of the code. */
export const isDamage = ({ id }: KirokuError): boolean =>
  id === 'LogDamaged' || id === 'LogShortened' || id === 'FutureVersion'
