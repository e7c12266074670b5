import type { Door, DoorAccess, OpenDoor } from '@kiroku/doors'
import { isKirokuError } from '@kiroku/protocol'

/** Opens the first of some doors whose port is free; undefined: there are none. Errors: those of `Door.start`. */
export const startFirst = async (
  doors: readonly Door[],
  access: DoorAccess,
): Promise<OpenDoor | undefined> => {
  for (const [i, door] of doors.entries())
    try {
      return await door.start(access)
    } catch (error) {
      const isTaken = isKirokuError(error) && error.id === 'PortInUse'
      if (!isTaken || i === doors.length - 1) throw error
    }
  return undefined
}
