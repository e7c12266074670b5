import { connect } from '@kiroku/nats'
import { withNats } from '@kiroku/testkit'
import { jetstreamManager } from '@nats-io/jetstream'
import { expect, it, onTestFinished } from 'vitest'
import { askLeader } from './askLeader.ts'

const server = withNats()

it('what is asked while NATS is away has its answer as soon as NATS is back, without waiting for a timeout', async () => {
  const nc = await connect({ servers: server().url })
  onTestFinished(() => nc.close())
  const jsm = await jetstreamManager(nc, { timeout: 60_000 })
  await server().kill('SIGKILL')
  const asked = askLeader(nc, 'cannot ask', () => jsm.getAccountInfo())
  await server().restart()
  expect((await asked).streams).toBe(0)
})
