import { CreateQueueCommand } from '@aws-sdk/client-sqs'
import { atLeast, informs, type Figure } from '../Figure.ts'
import { compare } from '../engine/rounds.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import { rawRequest } from './RawRequest.ts'
import { SqsServers, type SqsRun } from './SqsRun.ts'

/** Lives through a queue as this door creates it, where nobody names a tenant, against those through a plain one; both by the native client. */
export const compareSqsLives = async (run: SqsRun): Promise<Figure[]> => {
  await using servers = new SqsServers(run)
  run.progress.step('starting servers')
  const { url, nats } = await servers.kiroku('Kiroku')
  const load = servers.load()
  const [producer, consumer] = ['producer', 'consumer'].map(() =>
    servers.process<KirokuLoad>('kirokuLoad', [nats]),
  )
  const Attributes = { VisibilityTimeout: '3600' }
  const create = await rawRequest(url, (c) =>
    c.send(new CreateQueueCommand({ QueueName: 'sqs', Attributes })),
  )
  await load.ask('time', { url, request: create, count: 1 })
  await producer!.ask('create', ['plain'])
  const lives = run.sizes.lives
  const side = (queue: string) => ({
    name: `lives of ${queue === 'sqs' ? 'a queue of SQS' : 'a plain queue'}`,
    count: lives,
    before: () => consumer!.ask('consume', { queues: [queue], batch: 100, concurrency: 32 }),
    run: () =>
      Promise.all([
        consumer!.ask('acknowledged', lives),
        producer!.ask('send', { queues: [queue], messages: lives, batch: 100, bodyBytes: 128, window: 64 }),
      ]),
    after: () => consumer!.ask('stop'),
  })
  const { rates, ratios } = await compare(run.sizes.liveRounds, [side('sqs'), side('plain')], (text) =>
    run.progress.step(text),
  )
  return [
    informs('lives of a queue of SQS', rates[0]!, '/s'),
    atLeast('lives of a queue of SQS over those of a plain one', ratios[1]!, '×', 0.95),
  ]
}
