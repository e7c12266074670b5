import { globSync } from 'node:fs'
import type { Finding } from './Finding.ts'

/**
 * Whether nats-server encrypts what it stores, by the key files that it lays beside its streams; undefined: its folder, or a stream in it,
 * is not here.
 *
 * @param folder `store_dir` of its JetStream, with the accounts in it
 */
export const isStoreEncrypted = (folder: string | undefined): boolean | undefined => {
  if (folder === undefined) return undefined
  const streams = globSync('*/streams/KIROKU_*', { cwd: folder })
  const keys = globSync('*/streams/KIROKU_*/meta.key', { cwd: folder })
  return streams.length === 0 ? undefined : keys.length === streams.length
}

/** Judges how the record lies on disk. */
export const judgeAtRest = (isEncrypted: boolean | undefined): Finding => {
  const check = 'encryption at rest'
  if (isEncrypted === undefined)
    return { check, status: 'unknown', detail: 'the files of this NATS cannot be seen from here' }
  return {
    check,
    status: 'ok',
    detail: isEncrypted
      ? 'nats-server encrypts its files'
      : 'none: bodies lie on disk as they were sent, except in erasable queues',
  }
}
