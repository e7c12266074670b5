import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@kiroku/testkit'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { accessAt, announceAccess } from './announced.ts'

let home = ''
beforeEach(async () => {
  const folder = await temporaryFolder()
  const before = process.env['XDG_STATE_HOME']
  home = process.env['XDG_STATE_HOME'] = folder.path
  onTestFinished(() => {
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
    return folder.remove()
  })
})

const serverFolder = '/data/nats'

test('the keys to a server of this user are found by its addresses on loopback', () => {
  announceAccess([4222, 5222], { serverFolder, keeperPid: process.pid })
  for (const server of ['nats://127.0.0.1:4222', 'localhost', '127.0.0.1:5222', 'nats://[::1]:4222'])
    expect(accessAt([server])?.serverFolder, server).toBe(serverFolder)
  expect(accessAt(['nats://127.0.0.1:1', 'nats://127.0.0.1:5222'])?.serverFolder).toBe(serverFolder)
  for (const server of ['nats://10.0.0.1:4222', 'nats://ann@127.0.0.1:4222', 'nats://127.0.0.1:4223', ':::'])
    expect(accessAt([server]), server).toBeUndefined()
})

test('what is left of a server that is gone opens nothing, and is removed', () => {
  const { pid } = spawnSync('true')
  announceAccess([4222], { serverFolder, keeperPid: pid })
  expect(accessAt(['nats://127.0.0.1:4222'])).toBeUndefined()
  announceAccess([4223], { serverFolder, keeperPid: process.pid })
  expect(readdirSync(join(home, 'kiroku', 'nats'))).toEqual(['4223.json'])
})
