import { KirokuError } from '@kiroku/protocol'
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { Objm, setSha256Backend, type ObjectStore } from '@nats-io/obj'
import type { CatalogueEntry } from './CatalogueEntry.ts'
import type { OpenLogOptions } from './OpenLogOptions.ts'
import { rewriteDescription } from './rewriteDescription.ts'

// The client's own hash is JavaScript: a large checkpoint would keep the thread busy for seconds.
setSha256Backend('native')

/**
 * Opens the checkpoints' bucket. One that NATS could not load comes back when it is created again: its files
 * still exist.
 */
export const openCheckpoints = async (
  nc: NatsConnection,
  jsm: JetStreamManager,
  bucket: string,
  { meta: { replicas } }: CatalogueEntry,
  { create, onHealed }: OpenLogOptions,
): Promise<ObjectStore> => {
  const stores = new Objm(nc)
  try {
    return await stores.open(bucket)
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.includes('object store not found'))) throw cause
    if (create === undefined)
      throw new KirokuError(
        'LogDamaged',
        `NATS has no bucket ${bucket}; an engine creates it when it starts`,
        {
          cause,
        },
      )
    onHealed?.(`NATS had no bucket ${bucket} with the checkpoints; it was created again`)
    const made = await stores.create(bucket, { replicas })
    await rewriteDescription(jsm, `OBJ_${bucket}`)
    return made
  }
}
