import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { SqsWitness, type Sent } from './SqsWitness.ts'

const groups = ['a', 'b', 'c', 'd']
const fifo = 'orders.fifo'
const standard = 'mail'
/** Of every receive, in s: what a killed receiver had comes back soon. */
const visibilitySeconds = 5
/** After what failed, and between two sends, in ms. */
const againMs = 50
const sendEveryMs = 3

/** The official client of Amazon SQS, which sends to an ordered and to a plain queue, and receives and deletes what arrives. */
export class SqsTraffic {
  readonly witness = new SqsWitness()
  readonly #sqs: SQSClient
  readonly #account: string
  #isSending = true
  #isReceiving = true
  #senders: Promise<unknown> = Promise.resolve()
  #receivers: Promise<unknown> = Promise.resolve()

  constructor(endpoint: string) {
    this.#account = `${endpoint}/000000000000`
    const credentials = { accessKeyId: 'any', secretAccessKey: 'any' }
    this.#sqs = new SQSClient({ endpoint, region: 'us-east-1', credentials })
  }

  /** Creates the queues. Errors: those of the client. */
  async create(): Promise<void> {
    const VisibilityTimeout = String(visibilitySeconds)
    await this.#sqs.send(
      new CreateQueueCommand({ QueueName: fifo, Attributes: { FifoQueue: 'true', VisibilityTimeout } }),
    )
    await this.#sqs.send(new CreateQueueCommand({ QueueName: standard, Attributes: { VisibilityTimeout } }))
  }

  start(): void {
    this.#senders = Promise.all([
      ...groups.map((group) => this.#sendOrdered(group)),
      this.#sendPlain('plain'),
    ])
    this.#receivers = Promise.all([fifo, fifo, standard, standard].map((queue) => this.#receive(queue)))
  }

  async stopSending(): Promise<void> {
    this.#isSending = false
    await this.#senders
  }

  async stop(): Promise<void> {
    this.#isSending = this.#isReceiving = false
    await Promise.all([this.#senders, this.#receivers])
    this.#sqs.destroy()
  }

  /** One after the other; each again until it is acknowledged, which its deduplication makes one message. */
  async #sendOrdered(group: string): Promise<void> {
    for (let number = 1; this.#isSending; number++) {
      const id = `${group}-${number}`
      const ask = { MessageGroupId: group, MessageDeduplicationId: id }
      while (!(await this.#send(fifo, { group, number }, ask))) await pause(againMs)
      await pause(sendEveryMs)
    }
  }

  async #sendPlain(group: string): Promise<void> {
    for (let number = 1; this.#isSending; number++) {
      if (!(await this.#send(standard, { group, number }))) await pause(againMs)
      await pause(sendEveryMs)
    }
  }

  async #send(queue: string, message: Sent, more: object = {}): Promise<boolean> {
    const asked = new SendMessageCommand({
      QueueUrl: `${this.#account}/${queue}`,
      MessageBody: JSON.stringify(message),
      ...more,
    })
    try {
      await this.#sqs.send(asked)
    } catch {
      return false
    }
    this.witness.sent(message)
    return true
  }

  /** Again until it is answered; false: the receipt has expired, and the message comes again. */
  async #delete(message: { readonly QueueUrl: string; readonly ReceiptHandle: string | undefined }) {
    for (;;)
      try {
        await this.#sqs.send(new DeleteMessageCommand(message))
        return true
      } catch (error) {
        if (error instanceof Error && error.name === 'InvalidParameterValue') return false
        await pause(againMs)
      }
  }

  async #receive(queue: string): Promise<void> {
    const QueueUrl = `${this.#account}/${queue}`
    while (this.#isReceiving) {
      const askedAt = performance.now()
      try {
        const asked = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }
        const { Messages = [] } = await this.#sqs.send(new ReceiveMessageCommand(asked))
        for (const { Body, ReceiptHandle } of Messages) {
          const message = JSON.parse(Body!) as Sent
          this.witness.received(message, askedAt, queue === fifo)
          if (await this.#delete({ QueueUrl, ReceiptHandle })) this.witness.deleted(message)
        }
      } catch {
        await pause(againMs)
      }
    }
  }
}
