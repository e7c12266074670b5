import type { JetStreamManager } from '@nats-io/jetstream'

/**
 * Has NATS write the description of a stream that was made again. Making one in whose folder a damaged description lies
 * leaves that as it is (tested with 2.15.1), and the next start would pass over the stream once more.
 */
export const rewriteDescription = async (jsm: JetStreamManager, stream: string): Promise<void> => {
  const { config } = await jsm.streams.info(stream)
  const metadata = { ...config.metadata, 'kiroku-made-again': new Date().toISOString() }
  await jsm.streams.update(stream, { metadata })
}
