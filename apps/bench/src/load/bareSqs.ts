import { createHash, randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serveTasks } from '../LoadProcess.ts'

/** What is asked without an action of SQS. */
const plain = 'plain'

/** The least that a server can do that answers as SQS does, or as the HTTP API does: it reads the JSON, computes the digest, and stores nothing. */
const answers: Readonly<Record<string, (asked: Asked) => unknown>> = {
  SendMessage: ({ MessageBody = '' }) => ({
    MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    MessageId: randomUUID(),
  }),
  ReceiveMessage: () => ({
    Messages: [
      {
        MessageId: randomUUID(),
        ReceiptHandle: received.receipt,
        MD5OfBody: createHash('md5').update(received.body).digest('hex'),
        Body: received.body,
      },
    ],
  }),
  DeleteMessage: () => undefined,
  [plain]: () => ({ messageId: randomUUID() }),
}

interface Asked {
  readonly MessageBody?: string
}

let received = { receipt: '', body: '' }

const answer = (action: string, text: string, response: ServerResponse): void => {
  const given = answers[action]!(JSON.parse(text) as Asked)
  const body = given === undefined ? '' : JSON.stringify(given)
  response.writeHead(200, {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-requestid': randomUUID(),
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => {
    const target = request.headers['x-amz-target']
    const action = target === undefined ? plain : String(target).split('.')[1]!
    answer(action, Buffer.concat(chunks).toString(), response)
  })
})
// As Kiroku has it.
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const tasks = {
  /** Where it is. */
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,

  /** What a receive gets, as long as Kiroku's. */
  hold: (message: { receipt: string; body: string }) => void (received = message),
}

/** What this process can be asked. */
export type BareSqs = typeof tasks

serveTasks(tasks, () => void server.closeAllConnections())
