import { setTimeout as pause } from 'node:timers/promises'
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { processorMs, residentBytes } from '../console/processorTime.ts'
import { atMost, informs, type Figure } from '../Figure.ts'
import { percentile } from '../first/percentile.ts'
import { rawRequest } from './RawRequest.ts'
import { connections, polledQueues } from './sizes.ts'
import { SqsServers, type SqsRun } from './SqsRun.ts'

/** How often the polls are reached. */
const perSecond = 200

/**
 * Processes that poll, each with its share of the queues. A collection of the load holds up what it is about to receive, so
 * none of them should hold all polls.
 */
const pollers = 2

/** Many long polls that wait on many queues and are asked again when they come back empty. */
export const measurePolls = async (run: SqsRun): Promise<Figure[]> => {
  await using servers = new SqsServers(run)
  const { sizes, progress } = run
  progress.step('starting servers')
  const { url, engine } = await servers.kiroku('Kiroku', { partitions: 4 })
  const waiting = Array.from({ length: pollers }, () => servers.load())
  const queues = await Promise.all(
    Array.from({ length: polledQueues }, async (_, i) => {
      const QueueName = `queue-${i}`
      const QueueUrl = `${url}/000000000000/${QueueName}`
      return {
        create: await rawRequest(url, (c) => c.send(new CreateQueueCommand({ QueueName }))),
        receive: await rawRequest(url, (c) =>
          c.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 })),
        ),
        send: await rawRequest(url, (c) => c.send(new SendMessageCommand({ QueueUrl, MessageBody: 'BODY' }))),
      }
    }),
  )
  for (const { create } of queues) await waiting[0]!.ask('time', { url, request: create, count: 1 })
  const ofPoller = (which: number) => queues.filter((_, i) => i % pollers === which)
  const before = residentBytes(engine.pid)
  progress.step(`${sizes.polls} long polls`)
  const parked = waiting.map((load, i) =>
    load.ask('park', {
      url,
      requests: ofPoller(i).map(({ receive }) => receive),
      polls: sizes.polls / pollers,
    }),
  )
  await Promise.all(parked)
  // Twice the wait, so that each has been asked again.
  progress.step('watching them')
  const [spentBefore, beganMs] = [processorMs(engine.pid), performance.now()]
  await pause(sizes.watchMs)
  const share = (processorMs(engine.pid) - spentBefore) / (performance.now() - beganMs)
  const kib = (residentBytes(engine.pid) - before) / 1_024 / sizes.polls
  progress.step(`${sizes.reached} sends to them`)
  const reach = async (count: number): Promise<readonly number[]> => {
    const took = waiting.map((load, i) =>
      load.ask('reach', {
        url,
        requests: ofPoller(i).map(({ send }) => send),
        count: count / pollers,
        perSecond: perSecond / pollers,
        window: connections / pollers,
      }),
    )
    return (await Promise.all(took)).flat()
  }
  // The first only warm up.
  await reach(perSecond)
  const took = await reach(sizes.reached)
  await Promise.all(waiting.map((load) => load.ask('unpark')))
  const polls = sizes.polls.toLocaleString('en')
  return [
    atMost(`the engine's processor beside ${polls} long polls`, share * 100, '%', 15),
    atMost(`memory of one of ${polls} long polls`, kib, 'KiB', 40),
    informs(`send until one of ${polls} long polls has it, p50`, percentile(took, 50), 'ms'),
    atMost(`send until one of ${polls} long polls has it, p99`, percentile(took, 99), 'ms', 50),
  ]
}
