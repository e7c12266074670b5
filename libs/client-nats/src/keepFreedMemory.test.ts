import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

const module = new URL('./keepFreedMemory.ts', import.meta.url).href
const pages = (16 * 2 * 1024 * 1024) / 4_096

/** Page faults while 16 blocks of 2 MB are written for the second time, in a process of its own. */
const faultsOf = (first: string): number =>
  Number(
    execFileSync(process.execPath, [
      '--input-type=module',
      '-e',
      `${first}
      const write = () => Array.from({ length: 16 }, () => new Uint8Array(2 * 1024 * 1024).fill(1).buffer)
      for (const block of write()) block.transfer(0)
      const before = process.resourceUsage().minorPageFault
      write()
      console.log(process.resourceUsage().minorPageFault - before)`,
    ]),
  )

it.runIf(process.platform === 'linux')('uses memory again that was freed', () => {
  expect(faultsOf(`(await import(${JSON.stringify(module)})).keepFreedMemory()`)).toBeLessThan(pages / 4)
})
