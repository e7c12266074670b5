import type { Command } from '@kiroku/protocol'

/** Bytes of a dedup key on record. */
const keyBytes = 17

/** Bytes of the bodies that a command brings. */
export const messageBytes = ({ messages }: { readonly messages: readonly Uint8Array[] }): number => {
  let bytes = 0
  for (const { length } of messages) bytes += length
  return bytes
}

/** Bytes that a command adds to a frame, about. */
export const commandBytes = (command: Command): number => {
  let bytes = 'config' in command ? 1_024 : 128
  if ('messages' in command) bytes += messageBytes(command) + 4 * command.messages.length
  if (command.type === 'Enqueue' && command.dedupIds !== undefined)
    bytes += command.messages.length * keyBytes
  else if ('items' in command) for (const item of command.items) bytes += 32 + item.numbers.length * 8
  return bytes
}
