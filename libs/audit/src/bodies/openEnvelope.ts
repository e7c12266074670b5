import type { KeyReader, Opened } from '@kiroku/log'
import { decodeEnvelope, type EnvelopeMeta } from '@kiroku/protocol'

/** A stored message as it can be read now. */
export interface OpenEnvelope {
  /** If it cannot be read: what is known without its keys, and a text that says so. */
  readonly meta: EnvelopeMeta
  readonly body: Uint8Array
  /** Why it cannot be read: its key was erased, or is lost. */
  readonly unreadable?: Exclude<Opened['state'], 'open'>
}

const words = { erased: 'erased', lost: 'unreadable: its key is lost' } as const

/** Opens a stored message, encrypted or not. Errors: `KeysUnavailable`, `LogDamaged`. */
export const openEnvelope = async (keys: KeyReader, stored: Uint8Array): Promise<OpenEnvelope> => {
  const opened = await keys.open(stored)
  const known = (opened.head?.meta ?? {}) as EnvelopeMeta
  if (opened.state !== 'open')
    return { meta: known, body: new TextEncoder().encode(words[opened.state]), unreadable: opened.state }
  const { meta, body } = decodeEnvelope(opened.message)
  return { meta: known.lineage === undefined ? meta : { ...meta, lineage: known.lineage }, body }
}
