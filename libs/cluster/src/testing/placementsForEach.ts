import { connect } from '@kiroku/nats'
import { withNats } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import { afterEach, beforeEach } from 'vitest'
import { startTestPlacement, type TestPartitions, type TestPlacement } from './startTestPlacement.ts'

type Options = Omit<Parameters<typeof startTestPlacement>[0], 'nc' | 'log'>

/** The log of the current test, and the nodes on it. */
export interface TestPlacements {
  readonly nc: NatsConnection
  readonly log: string
  /** Starts a node, which leaves when the test ends. */
  readonly start: (options: Options, partitions?: TestPartitions) => TestPlacement
}

/** Gives each test of a file a log of its own on one nats-server. Called once, before the tests. */
export const placementsForEach = (): TestPlacements => {
  const server = withNats()
  const nodes: TestPlacement[] = []
  let nc: NatsConnection
  let logs = 0
  beforeEach(async () => {
    nc = await connect({ servers: server().url })
    logs++
  })
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.leave()
    await nc.close()
  })
  return {
    get nc() {
      return nc
    },
    get log() {
      return `log${logs}`
    },
    start(options, partitions) {
      const node = startTestPlacement({ nc, log: this.log, ...options }, partitions)
      nodes.push(node)
      return node
    },
  }
}
