import { CreateQueueCommand, GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { atMost, informs, median, type Figure } from '../Figure.ts'
import { percentile } from '../first/percentile.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import { rawRequest } from './RawRequest.ts'
import { SqsServers, type SqsRun } from './SqsRun.ts'

/** All attributes of a queue beside many messages that were received and come again, against those of a queue in an empty engine. */
export const measureAttributes = async (run: SqsRun): Promise<Figure[]> => {
  await using servers = new SqsServers(run)
  const { sizes, progress } = run
  progress.step('starting servers')
  const [full, empty] = [await servers.kiroku('many messages'), await servers.kiroku('no message')]
  const load = servers.load()
  const producer = servers.process<KirokuLoad>('kirokuLoad', [full.nats])
  const requests = await Promise.all(
    [full, empty].map(async ({ url }) => {
      const QueueUrl = `${url}/000000000000/mail`
      const create = await rawRequest(url, (c) => c.send(new CreateQueueCommand({ QueueName: 'mail' })))
      await load.ask('time', { url, request: create, count: 1 })
      return rawRequest(url, (c) =>
        c.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })),
      )
    }),
  )
  progress.step(`${sizes.touched} messages`)
  const queues = ['mail']
  await producer.ask('send', { queues, messages: sizes.touched, batch: 100, bodyBytes: 128, window: 64 })
  // No more than 120,000 of a queue of SQS are in flight at once.
  await producer.ask('touch', { queue: 'mail', messages: sizes.touched })
  const p99: number[][] = [[], []]
  for (let round = 0; round <= sizes.longRounds; round++)
    for (const [i, { name, url }] of [full, empty].entries()) {
      progress.step(`attributes beside ${name}`)
      const took = await load.ask('time', { url, request: requests[i]!, count: sizes.asked })
      if (round > 0) p99[i]!.push(percentile(took, 99))
    }
  const touched = sizes.touched.toLocaleString('en')
  return [
    informs(`GetQueueAttributes beside ${touched} touched messages, p99`, median(p99[0]!), 'ms'),
    atMost(
      `GetQueueAttributes beside ${touched} touched messages, p99 over an empty partition`,
      median(p99[0]!.map((each, i) => each / p99[1]![i]!)),
      '×',
      2,
    ),
  ]
}
