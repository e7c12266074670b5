import { spawn, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { childrenOf, processorMs, processorMsIn, processorMsOfAll } from './processorTime.ts'

it('reads user and system time behind a name that holds brackets and blanks', () => {
  const stat = '42 (a (b) c) S 1 42 42 0 -1 4194560 100 0 0 0 250 75 9 9 20 0 1 0 100 1000 10 0'
  expect(processorMsIn(stat)).toBe(3_250)
})

describe.runIf(process.platform === 'linux')('of this process', () => {
  it('finds that time passes with work', () => {
    const before = processorMs(process.pid)
    const until = process.cpuUsage().user + 60_000
    while (process.cpuUsage().user < until);
    expect(processorMs(process.pid)).toBeGreaterThan(before)
  })

  it('counts what those took that it started, also when they have ended', () => {
    const before = [processorMsOfAll(process.pid), processorMs(process.pid)] as const
    spawnSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 100_000);'])
    const own = processorMs(process.pid) - before[1]
    expect(processorMsOfAll(process.pid) - before[0] - own).toBeGreaterThanOrEqual(90)
  })

  it('finds its children', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    const exited = new Promise((resolve) => child.once('exit', resolve))
    try {
      expect(childrenOf(process.pid)).toContain(child.pid)
    } finally {
      child.stdin.end()
      await exited
    }
  })

  it('finds none of one that has ended', () => {
    const { pid } = spawnSync(process.execPath, ['--version'])
    expect(childrenOf(pid)).toEqual([])
  })
})
