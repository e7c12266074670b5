import type { JetStreamManager } from '@nats-io/jetstream'

/**
 * Makes NATS write the description of a stream that was created again. Creating one whose folder holds a
 * damaged description leaves that as it is (tested with 2.15.1), and the next start would skip the stream
 * again.
 */
export const rewriteDescription = async (jsm: JetStreamManager, stream: string): Promise<void> => {
  const { config } = await jsm.streams.info(stream)
  const metadata = { ...config.metadata, 'kiroku-made-again': new Date().toISOString() }
  await jsm.streams.update(stream, { metadata })
}
