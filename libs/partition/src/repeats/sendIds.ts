import { bodyOf, type CommandOf, dedupIdRule, dedupKeyBytes, isDedupId, KirokuError } from '@kiroku/protocol'
import type { Digest } from '../Turn.ts'
import type { SizedRef } from '../send/storeSend.ts'
import type { QueueState } from '../state/QueueState.ts'

const encoder = new TextEncoder()

/** Refuses ids that a send must not have, or lacks, by the queue's way of looking for repeats. */
export const refuseIds = (
  queue: QueueState,
  ids: readonly string[] | undefined,
  count: number,
): KirokuError | undefined => {
  const { dedup } = queue.config
  if (ids === undefined) return dedup === 'id' ? withoutId(queue) : undefined
  if (ids.length !== count)
    return new KirokuError('InvalidArgument', `there are ${ids.length} dedup ids for ${count} messages`)
  for (const id of ids) {
    if (!isDedupId(id)) return new KirokuError('InvalidArgument', dedupIdRule)
    if (id === '' && dedup === 'id') return withoutId(queue)
    if (id !== '' && dedup === 'off')
      return new KirokuError(
        'InvalidArgument',
        `queue "${queue.name}" does not deduplicate: set its dedup to "id" or "content", or send no dedup id`,
      )
  }
  return undefined
}

const withoutId = (queue: QueueState): KirokuError =>
  new KirokuError(
    'InvalidArgument',
    `queue "${queue.name}" deduplicates by id: every message needs a dedup id, or set dedup to "content"`,
  )

/** The keys of a send's messages, one after the other: 128 bits of a SHA-256 over group and id. */
export const keysOf = (
  digest: Digest,
  queue: QueueState,
  { dedupIds, groups }: Pick<CommandOf<'Enqueue'>, 'dedupIds' | 'groups'>,
  messages: readonly (Uint8Array | SizedRef)[],
): Uint8Array => {
  const byGroup = queue.config.dedupScope === 'group'
  const keys = new Uint8Array(messages.length * dedupKeyBytes)
  for (let i = 0; i < messages.length; i++) {
    const group = byGroup ? (groups?.[i] ?? '') : ''
    const given = dedupIds?.[i] ?? ''
    // As in SQS an explicit id that is the digest of a body repeats a message that was sent without one.
    const id = given === '' ? hex(bodyDigest(digest, messages[i]!)) : given
    const key = digest(encoder.encode(`${group.length}:${group}${id}`))
    keys.set(key.subarray(0, dedupKeyBytes), i * dedupKeyBytes)
  }
  return keys
}

const bodyDigest = (digest: Digest, message: Uint8Array | SizedRef): Uint8Array =>
  message instanceof Uint8Array ? digest(bodyOf(message)) : message.digest!()

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const hex = (bytes: Uint8Array): string => {
  let text = ''
  for (let i = 0; i < bytes.length; i++) text += hexOf[bytes[i]!]!
  return text
}
