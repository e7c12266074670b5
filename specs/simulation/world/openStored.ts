import { entryOf, isSealed, keyIn, readSealed, unlock, type MemoryKeys } from '@kiroku/log'

/** A stored message as its sender made it: opened with the keys that are stored at this moment, where it is encrypted. */
export const openStored = (keys: MemoryKeys, stored: Uint8Array): Uint8Array => {
  if (!isSealed(stored)) return stored
  const { head, box } = readSealed(stored)
  let inside = box
  for (const name of head.keys) {
    const key = keyIn(name, keys.peek(entryOf(name)!) ?? new Uint8Array(0))
    const next = key && unlock(inside, name, key)
    if (next === undefined) throw new Error(`a message is stored before its key ${name}`)
    inside = next
  }
  return inside
}
