import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { isStoreEncrypted, judgeAtRest } from './judgeAtRest.ts'

it('the doctor recognizes a store that nats-server encrypts by the key of every stream', async () => {
  await using folder = await temporaryFolder()
  const judged = () => judgeAtRest(isStoreEncrypted(folder.path))
  expect(judged().status).toBe('unknown')
  for (const name of ['KIROKU_main_0', 'KIROKU_main_1', 'other'])
    await mkdir(join(folder.path, 'A', 'streams', name), { recursive: true })
  expect(judged().detail).toMatch(/^none/)
  const key = (name: string) => writeFile(join(folder.path, 'A', 'streams', name, 'meta.key'), '')
  await key('KIROKU_main_0')
  expect(judged().detail).toMatch(/^none/)
  await key('KIROKU_main_1')
  expect(judged()).toMatchObject({ status: 'ok', detail: 'nats-server encrypts its files' })
})
