import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { CommandLine } from '../security/CommandLine.ts'

it(
  '[SQS-22] the MessageId that a client of SQS was given is a UUID, which trace, search and recall take',
  { timeout: 120_000 },
  async () => {
    await using cli = await CommandLine.open()
    const { sqs: endpoint } = await cli.engine(['up', '--sqs', '127.0.0.1:0'])
    const sqs = new SQSClient({
      endpoint: endpoint!,
      region: 'us-east-1',
      credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    })
    try {
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'mail' }))
      const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }))
      expect(MessageId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 600 }))
      expect(Messages).toMatchObject([{ MessageId, Body: 'hello' }])

      const trace = await cli.output('trace', MessageId!)
      expect(trace).toContain('mail')
      expect(trace).toMatch(/Delivered|delivered/)
      // The auditor follows a moment later.
      const isIndexed = async (): Promise<boolean> => {
        const { messages } = JSON.parse(await cli.output('search', `id:${MessageId}`, '--json')) as {
          readonly messages: readonly { readonly queue: string; readonly state: string }[]
        }
        return messages.length === 1 && messages[0]!.queue === 'mail' && messages[0]!.state === 'Inflight'
      }
      await waitUntil(isIndexed, { timeoutMs: 60_000 })

      const later = await sqs.send(
        new SendMessageCommand({ QueueUrl, MessageBody: 'later', DelaySeconds: 900 }),
      )
      await cli.output('recall', later.MessageId!)
      expect(JSON.parse(await cli.output('queue', 'show', 'mail', '--json'))).toMatchObject({
        counts: { delayed: 0, discarded: 1 },
      })
    } finally {
      sqs.destroy()
    }
  },
)
