import { hostname, userInfo } from 'node:os'
import type { Actor } from '@kiroku/message'

/** The person at this terminal, as administrative events name them. */
export const localActor = (): Actor => ({ name: userName(), origin: `cli ${hostname()}` })

const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user that has no entry.
    return 'local'
  }
}
