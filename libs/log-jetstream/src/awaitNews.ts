import { onReconnect } from '@kiroku/nats'
import { AckPolicy, DeliverPolicy, type JetStreamManager } from '@nats-io/jetstream'
import { createInbox, nanos, type NatsConnection } from '@nats-io/nats-core'
import { askLeader } from './askLeader.ts'
import { newsAbandonedMs, newsBeatMs } from './limits.ts'

/**
 * Waits for a record behind `afterSeq` by a consumer that is pushed the headers of the next records, and rests on NATS's
 * side until there is one. Also ends where it could miss one: when the connection was lost and is there again, and when
 * NATS no longer says that the consumer lives. Errors: `NatsUnreachable`.
 */
export const awaitNews = async (
  nc: NatsConnection,
  jsm: JetStreamManager,
  stream: string,
  afterSeq: number,
  signal: AbortSignal,
): Promise<void> => {
  if (signal.aborted) return
  const { promise: news, resolve } = Promise.withResolvers<void>()
  const end = (): void => resolve()
  signal.addEventListener('abort', end, { once: true })
  const stop = onReconnect(nc, end)
  const silence = setTimeout(end, 2.5 * newsBeatMs)
  const inbox = createInbox()
  const subscription = nc.subscribe(inbox, {
    callback: (error, msg) => {
      if (error === null && msg.headers?.code === 100) silence.refresh()
      else end()
    },
  })
  let consumer: string | undefined
  try {
    const added = await askLeader(nc, `cannot wait for news of stream ${stream}`, () =>
      jsm.consumers.add(stream, {
        deliver_subject: inbox,
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: afterSeq + 1,
        ack_policy: AckPolicy.None,
        headers_only: true,
        mem_storage: true,
        num_replicas: 1,
        idle_heartbeat: nanos(newsBeatMs),
        inactive_threshold: nanos(newsAbandonedMs),
      }),
    )
    consumer = added.name
    await news
  } finally {
    signal.removeEventListener('abort', end)
    stop()
    clearTimeout(silence)
    if (!nc.isClosed()) {
      subscription.unsubscribe()
      // One that stays is removed by NATS, since nobody listens.
      if (consumer !== undefined) void jsm.consumers.delete(stream, consumer).catch(() => {})
    }
  }
}
