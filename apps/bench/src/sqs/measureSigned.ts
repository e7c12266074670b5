import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CreateQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { atLeast, type Figure } from '../Figure.ts'
import { compare } from '../engine/rounds.ts'
import { rawRequest } from './RawRequest.ts'
import { connections } from './sizes.ts'
import { SqsServers, type SqsRun } from './SqsRun.ts'

const credentials = { accessKeyId: 'BENCH', secretAccessKey: 'a-secret-of-the-bench-and-of-nobody-else' }

/** Sends whose signatures are checked, against sends to a door without keys; the same request is signed once and sent again. */
export const measureSigned = async (run: SqsRun): Promise<Figure[]> => {
  await using servers = new SqsServers(run)
  run.progress.step('starting servers')
  const keysFile = join(await run.folder(), 'keys')
  const { accessKeyId, secretAccessKey } = credentials
  await writeFile(keysFile, `bench:admin:${accessKeyId}:${secretAccessKey}\n`, { mode: 0o600 })
  const load = servers.load()
  const sides = [
    await servers.kiroku('signed sends', { keysFile }),
    await servers.kiroku('sends without signatures'),
  ]
  const requests = await Promise.all(
    sides.map(async ({ url }) => {
      const QueueUrl = `${url}/000000000000/mail`
      const create = await rawRequest(
        url,
        (c) => c.send(new CreateQueueCommand({ QueueName: 'mail' })),
        credentials,
      )
      await load.ask('time', { url, request: create, count: 1 })
      const MessageBody = 'x'.repeat(128)
      return rawRequest(url, (c) => c.send(new SendMessageCommand({ QueueUrl, MessageBody })), credentials)
    }),
  )
  const count = run.sizes.sends
  const { ratios } = await compare(
    run.sizes.rounds,
    sides.map(({ name, url }, i) => ({
      name,
      count,
      run: () => load.ask('repeat', { url, request: requests[i]!, count, window: connections }),
    })),
    (text) => run.progress.step(text),
  )
  return [atLeast('sends with signatures over sends without', ratios[1]!, '×', 0.65)]
}
