import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { isCertainlyDead, processIdentity } from './ProcessIdentity.ts'

const self = processIdentity()
const machine = 'machine'

test('this process is not dead', () => {
  expect(isCertainlyDead(self, self.machine)).toBe(false)
})

test('a process that has ended is dead to its own machine only', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  const pid = child.pid ?? -1
  await once(child, 'exit')
  const ended = { host: 'here', pid, machine }
  expect(isCertainlyDead(ended, machine)).toBe(true)
  expect(isCertainlyDead(ended, 'another')).toBe(false)
  expect(isCertainlyDead(ended, undefined)).toBe(false)
  expect(isCertainlyDead({ host: 'here', pid }, machine)).toBe(false)
})

test.runIf(self.startTicks)('a pid reused by a later process is dead', () => {
  expect(isCertainlyDead({ host: 'here', pid: process.pid, machine, startTicks: '1' }, machine)).toBe(true)
})
