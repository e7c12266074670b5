import { entryOf, isSealed, keyIn, readSealed, unlock, type MemoryKeys } from '@kiroku/log'
import { encodeEnvelope } from '@kiroku/protocol'

/** Represents what is no longer readable. */
export const erasedLabel = '(erased)'
const erased = encodeEnvelope(new TextEncoder().encode(erasedLabel))

/** A stored message as its sender made it: opened with the keys that are stored at this moment, where it is encrypted. */
export const openStored = (keys: MemoryKeys, stored: Uint8Array): Uint8Array => {
  if (!isSealed(stored)) return stored
  const { head, box } = readSealed(stored)
  let inside = box
  for (const name of head.keys) {
    const entry = keys.peek(entryOf(name)!)
    const key = entry && keyIn(name, entry)
    // A dead letter whose message was erased on its way.
    if (entry !== undefined && key === undefined) return erased
    const next = key && unlock(inside, name, key)
    if (next === undefined) throw new Error(`a message is stored before its key ${name}`)
    inside = next
  }
  return inside
}
