import { hostname, userInfo } from 'node:os'
import type { Actor } from '@kiroku/protocol'

/** The user at this terminal as the actor of administrative events, with the reason. */
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
