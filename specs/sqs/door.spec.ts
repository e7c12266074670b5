import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { CommandLine, launcher } from '../security/CommandLine.ts'

it('kiroku up serves clients of SQS by itself, on a free port where the usual one is taken, counts their requests, and serves none beside tokens without keys', async () => {
  const other = createServer()
  const listens = () =>
    new Promise<boolean>((resolve) => {
      other.once('error', () => resolve(false))
      other.listen(9324, '127.0.0.1', () => resolve(true))
    })
  // Engines of other specs have the port for a while; what has it longer keeps it in use as well.
  await waitUntil(listens, { timeoutMs: 30_000 }).catch(() => undefined)
  try {
    await using cli = await CommandLine.open()
    const { api, sqs } = await cli.engine(['up'])
    expect(new URL(sqs!).port).not.toBe('9324')
    expect((await fetch(`${sqs}/?Action=ListQueues`)).status).toBe(200)
    expect((await fetch(`${sqs}/?Action=GetQueueUrl&QueueName=none`)).status).toBe(400)
    const metrics = await (await fetch(`${api}/metrics`)).text()
    const counted = [...metrics.matchAll(/^kiroku_door_request_duration_seconds_count(\{.*)$/gm)]
    expect(counted.map(([, sample]) => sample)).toEqual([
      '{door="sqs",action="ListQueues",code="ok"} 1',
      '{door="sqs",action="GetQueueUrl",code="AWS.SimpleQueueService.NonExistentQueue"} 1',
    ])
  } finally {
    other.close()
  }
  await using cli = await CommandLine.open()
  const { sqs } = await cli.engine(['up', '--tokens', `ada:admin:${'t'.repeat(20)}`])
  expect(sqs).toBeUndefined()
})

it('a door in a process of its own serves them as well, and an engine with tokens opens none without keys', async () => {
  await using cli = await CommandLine.open()
  const { nats } = await cli.engine(['up'])
  const told = ['--sqs-url', 'https://queues.example.org/']
  const door = cli.start([launcher, 'door', 'sqs', '--json', '--sqs', '127.0.0.1:0', ...told])
  const ready = await waitUntil(() => /^\{"ready":true.*$/m.exec(door.stdout())?.[0], { timeoutMs: 60_000 })
  const { sqs } = JSON.parse(ready) as { readonly sqs: string }
  const made = await fetch(`${sqs}/?Action=CreateQueue&QueueName=mail`)
  const url = 'https://queues.example.org/000000000000/mail'
  expect([made.status, await made.text()]).toEqual([200, expect.stringContaining(`<QueueUrl>${url}<`)])
  expect(await cli.output('queue', 'list')).toContain('mail')

  const tokens = `ada:admin:${'t'.repeat(20)}`
  const refused = await cli.run('serve', '--nats', nats, '--tokens', tokens, '--sqs', '127.0.0.1:0')
  expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('--sqs-keys-file')])
  const wrong = await cli.run('serve', '--nats', nats, '--sqs', '127.0.0.1:0', '--sqs-url', 'queues')
  expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining('https://queues.example.org')])
})

it('keys are read again when their file changes, and those that are gone open nothing', async () => {
  await using cli = await CommandLine.open()
  const file = join(cli.folder, 'keys')
  const secrets = ['a', 'b'].map((letter) => letter.repeat(20))
  const write = (n: number) => writeFileSync(file, `shop:admin:SHOP${n}:${secrets[n]}`)
  write(0)
  const { sqs: endpoint } = await cli.engine(['up', '--sqs', '127.0.0.1:0', '--sqs-keys-file', file])
  const answers = async (n: number): Promise<string> => {
    const credentials = { accessKeyId: `SHOP${n}`, secretAccessKey: secrets[n]! }
    const sqs = new SQSClient({ endpoint: endpoint!, region: 'us-east-1', credentials })
    return sqs
      .send(new ListQueuesCommand())
      .then(
        () => 'served',
        (error: Error) => error.name,
      )
      .finally(() => sqs.destroy())
  }
  expect([await answers(0), await answers(1)]).toEqual(['served', 'SignatureDoesNotMatch'])
  write(1)
  await waitUntil(async () => (await answers(1)) === 'served')
  expect(await answers(0)).toBe('SignatureDoesNotMatch')
})
