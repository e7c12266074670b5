import { startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Kiroku, readyOf } from '../testing/Kiroku.ts'

/** How long a caller may be left without an answer, in ms. */
const answerMsMax = 8_000

/** What a door for SQS answers to a request, and how long that took. */
const ask = async (url: string, action: string, input: object) => {
  const startMs = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
    body: JSON.stringify(input),
  })
  const answer = (await response.json()) as { message?: string; Messages?: readonly object[] }
  return { action, status: response.status, answer, ms: performance.now() - startMs }
}

/** Everything at once that a program may ask for. */
const askAll = (url: string) => {
  const QueueUrl = `${url}/000000000000/mail`
  return Promise.all([
    ask(url, 'ListQueues', {}),
    ask(url, 'GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] }),
    ask(url, 'SendMessage', { QueueUrl, MessageBody: 'again' }),
    ask(url, 'SendMessageBatch', { QueueUrl, Entries: [{ Id: 'a', MessageBody: 'again' }] }),
    ask(url, 'ReceiveMessage', { QueueUrl }),
    ask(url, 'TagQueue', { QueueUrl, Tags: { a: 'b' } }),
  ])
}

describe('a door for SQS whose NATS is frozen', { timeout: 120_000 }, () => {
  const at = async () => {
    const server = await startTestNats()
    onTestFinished(() => server.stop())
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const kiroku = new Kiroku(folder.path)
    onTestFinished(() => kiroku.killAll())
    const own = ['--nats', server.url, '--sqs', '127.0.0.1:0', '--json']
    const { sqs } = await readyOf(kiroku.start(['serve', ...own, '--partitions', '2']))
    const door = await readyOf(kiroku.start(['door', 'sqs', ...own]))
    return { server, urls: { engine: sqs!, alone: door.sqs! } }
  }

  it('answers within seconds that it cannot serve, ends receives that wait, and goes on afterwards', async () => {
    const { server, urls } = await at()
    for (const url of Object.values(urls)) await ask(url, 'CreateQueue', { QueueName: 'mail' })
    const waiting = Object.values(urls).map((url) =>
      ask(url, 'ReceiveMessage', { QueueUrl: `${url}/000000000000/mail`, WaitTimeSeconds: 20 }),
    )
    // Each door has its receive once the next request behind it is answered.
    for (const url of Object.values(urls)) await ask(url, 'ListQueues', {})
    await server.kill('SIGSTOP')
    const frozenMs = performance.now()
    const parked = await Promise.all(waiting)
    expect(performance.now() - frozenMs).toBeLessThan(answerMsMax)
    const refused = [...parked, ...(await askAll(urls.engine)), ...(await askAll(urls.alone))]
    for (const { action, status, answer } of refused) {
      expect([action, status]).toEqual([action, 503])
      expect(answer.message, action).toMatch(/NATS|JetStream/)
    }
    for (const { action, ms } of refused.slice(parked.length)) expect(ms, action).toBeLessThan(answerMsMax)
    await server.kill('SIGCONT')
    for (const url of Object.values(urls)) {
      const served = async () => {
        const QueueUrl = `${url}/000000000000/mail`
        const { status, answer } = await ask(url, 'ReceiveMessage', { QueueUrl, WaitTimeSeconds: 1 })
        return status === 200 && answer.Messages !== undefined
      }
      await ask(url, 'SendMessage', { QueueUrl: `${url}/000000000000/mail`, MessageBody: 'after' })
      await waitUntil(served, { timeoutMs: 30_000, what: 'a message is received' })
    }
  })
})
