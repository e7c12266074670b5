import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Witness } from '@kiroku/audit'
import type { Log } from '@kiroku/log'
import { KirokuError } from '@kiroku/protocol'
import type { AuditedLog } from '../AuditedLog.ts'
import { auditFolder } from '../auditFolder.ts'
import { openKeptIndex } from '../index/openIndex.ts'
import { SavedStateFiles } from '../saved/SavedStateFiles.ts'
import { anchorsOf } from './AnchorFile.ts'

/**
 * The anchors of a log as witnesses. Errors: `InvalidArgument` (a file that is damaged, of another log, or not signed with the
 * key), `FutureVersion`.
 * @param text the file of anchors
 * @param publicKey the Ed25519 public key in PEM that all must be signed with; undefined: signatures are not looked at
 */
export const anchorWitnesses = (log: Pick<Log, 'meta'>, text: string, publicKey?: string): Witness[] =>
  anchorsOf(log.meta, text, publicKey === undefined ? undefined : readKey(publicKey)).map(
    ({ partition, seq, hash, number }) => ({
      partition,
      seq,
      hash,
      name: `anchor ${number}`,
      isOutside: true,
    }),
  )

/** What the auditor keeps in a data folder as witnesses of the log: how far the index was read, and saved states. */
export const keptWitnesses = async (audited: AuditedLog): Promise<Witness[]> => {
  const { meta } = audited.log
  const witnesses: Witness[] = []
  const index = openKeptIndex(audited)
  try {
    for (const row of index?.prepare('SELECT partition, seq, hash FROM reached').all() ?? [])
      if (row['hash'] !== null)
        witnesses.push({
          partition: row['partition'] as number,
          seq: row['seq'] as number,
          hash: Buffer.from(row['hash'] as Uint8Array).toString('hex'),
          name: 'the index',
        })
  } finally {
    index?.close()
  }
  const states = new SavedStateFiles(auditFolder(audited.dataDir, meta.incarnation), { readOnly: true })
  for (let partition = 0; partition < meta.partitions; partition++)
    for (const { seq } of await states.list(partition)) {
      const state = await states.get(partition, seq)
      if (state === undefined) continue
      witnesses.push({ partition, seq, hash: Buffer.from(state.hash).toString('hex'), name: 'a saved state' })
    }
  return witnesses
}

/** Errors: `InvalidArgument`. */
const readKey = (pem: string): KeyObject => {
  try {
    return createPublicKey(pem)
  } catch (cause) {
    throw new KirokuError('InvalidArgument', 'the key of the anchors is no public key in PEM', { cause })
  }
}
