import { startNatsCluster as start, type NatsCluster } from '@kiroku/nats-server'
import { freePort } from './freePort.ts'

/** Starts a cluster of three real nats-servers on free ports; the caller stops it. */
export const startNatsCluster = async (): Promise<NatsCluster> =>
  start({
    ports: (await Promise.all([freePort(), freePort(), freePort()])).map((servers) => ({
      clients: 0,
      servers,
    })),
  })
