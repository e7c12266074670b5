import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { freePort, temporaryFolder, waitUntil, withNats } from './index.ts'

const nats = withNats()

test('withNats gives a real server to the tests of the file', async () => {
  const hello = await new Promise<string>((resolve) => {
    const socket = connect(nats().port, '127.0.0.1').once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
  })
  expect(hello).toContain('"jetstream":true')
})

test('a temporary folder is gone at the end of its scope', async () => {
  let path: string
  {
    await using folder = await temporaryFolder()
    path = folder.path
    expect(existsSync(path)).toBe(true)
  }
  expect(existsSync(path)).toBe(false)
})

test('waitUntil returns what the condition returned, past throws and falsy results', async () => {
  let calls = 0
  const condition = () => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
    return calls === 3 ? 'met' : undefined
  }
  expect(await waitUntil(condition)).toBe('met')
})

test('waitUntil says what was not met in time, and why', async () => {
  const condition = () => {
    throw new Error('the reason')
  }
  await expect(waitUntil(condition, { timeoutMs: 30, what: 'the moon is blue' })).rejects.toMatchObject({
    message: 'Not within 30 ms: the moon is blue',
    cause: { message: 'the reason' },
  })
})

test('nothing listens on a free port', async () => {
  const port = await freePort()
  const code = await new Promise<unknown>((resolve) =>
    connect(port, '127.0.0.1').once('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
  )
  expect(code).toBe('ECONNREFUSED')
})
