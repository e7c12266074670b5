import { connect } from '@kiroku/nats'
import { withNats } from '@kiroku/testkit'
import { jetstreamManager } from '@nats-io/jetstream'
import { TimeoutError } from '@nats-io/nats-core'
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

it('a request that is lost is repeated long before its timeout, and the first answer to either counts', async () => {
  const nc = await connect({ servers: server().url })
  onTestFinished(() => nc.close())
  let asked = 0
  let answerFirst = (_answer: string): void => {}
  const first = new Promise<string>((resolve) => (answerFirst = resolve))
  const ask = () => (++asked === 1 ? first : Promise.resolve('the second'))
  expect(await askLeader(nc, 'cannot ask', ask)).toBe('the second')
  expect(asked).toBe(2)

  // Nothing is repeated that has its answer
  asked = 0
  answerFirst('the first')
  expect(await askLeader(nc, 'cannot ask', ask)).toBe('the first')
  expect(asked).toBe(1)
})

it('without any answer it fails by the last timeout, and at once where the answer is a refusal', async () => {
  const nc = await connect({ servers: server().url })
  onTestFinished(() => nc.close())
  let asked = 0
  const silence = () => {
    asked++
    return Promise.reject(new TimeoutError())
  }
  await expect(askLeader(nc, 'cannot ask', silence)).rejects.toMatchObject({ id: 'NatsUnreachable' })
  expect(asked).toBe(4)
  asked = 0
  const refusal = () => {
    asked++
    return Promise.reject(new Error('no'))
  }
  await expect(askLeader(nc, 'cannot ask', refusal)).rejects.toThrow('no')
  expect(asked).toBe(1)
})
