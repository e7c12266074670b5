import { hostname, userInfo } from 'node:os'
import type { Actor } from '@kiroku/protocol'

/** The person at this terminal, as administrative events name them, and why they act. */
export const localActor = (reason?: string): Actor => ({
  name: userName(),
  origin: `cli ${hostname()}`,
  ...(reason === undefined ? {} : { reason }),
})

const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user that has no entry.
    return 'local'
  }
}
