import { deserialize, serialize } from 'node:v8'
import { answerFor, askAuditor, type RunningAuditor } from '@kiroku/auditor'
import { connect } from '@kiroku/nats'
import { withNats } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { auditorBus } from './auditorBus.ts'

const nats = withNats()
const acts = Array.from({ length: 5_000 }, (_, i) => ({
  command: 'PauseQueue',
  queue: `queue-${i}`,
  atMs: i,
}))

/** The way to an auditor that answers every question with a long list. */
const answered = async () => {
  const connection = await connect({ servers: nats().url })
  onTestFinished(() => connection.close())
  const bus = auditorBus(connection, 'orders')
  const ask = (() => Promise.resolve(acts)) as unknown as RunningAuditor['ask']
  onTestFinished(answerFor(bus, { ask }, () => undefined))
  return bus
}

it('a long answer arrives whole at another node', async () => {
  const bus = await answered()
  expect(await askAuditor(bus)('acts', {}, { principal: 'ann' })).toEqual(acts)
})

it('and at one of an earlier version, which takes it in one piece', async () => {
  const bus = await answered()
  const bytes = await bus.ask(serialize({ method: 'acts', asked: {}, principal: 'ann', id: '1' }), 5_000)
  expect(deserialize(bytes!)).toEqual({ ok: acts })
})
