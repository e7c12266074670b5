import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildConsole } from './buildConsole.ts'

let root: string
let folder: string

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'kiroku-build-'))
  folder = path.join(root, 'apps', 'console', 'dist')
  await symlink(
    fileURLToPath(new URL('../../../../node_modules', import.meta.url)),
    path.join(root, 'node_modules'),
  )
  await write('package-lock.json', '{}')
  await write('apps/console/package.json', '{"type":"module"}')
  await write('apps/console/index.html', '<title>x</title><script type="module" src="/src/main.ts"></script>')
  await write('apps/console/src/main.ts', 'document.title = "first"')
  await write('libs/audit/src/index.ts', 'export const a = 1')
})
afterEach(() => rm(root, { recursive: true }))

const write = async (file: string, content: string): Promise<void> => {
  const target = path.join(root, file)
  await mkdir(path.dirname(target), { recursive: true })
  await writeFile(target, content)
}

/** Whether a build ran. */
const build = async (signal = new AbortController().signal): Promise<boolean> => {
  let isBuilt = false
  await buildConsole({ root, folder, signal, onBuild: () => (isBuilt = true) })
  return isBuilt
}

/** The script that is served. */
const script = async (): Promise<string> => {
  const page = await readFile(path.join(folder, 'index.html'), 'utf8')
  const [, name] = /src="\/assets\/([^"]+)"/.exec(page)!
  expect(await readdir(path.join(folder, 'assets'))).toEqual([name])
  return readFile(path.join(folder, 'assets', name!), 'utf8')
}

describe('a console', () => {
  it('is built once, and again when its sources change', async () => {
    expect(await build()).toBe(true)
    expect(await script()).toContain('first')
    expect(await build()).toBe(false)
    await write('apps/console/src/main.test.ts', 'a test is not part of it')
    expect(await build()).toBe(false)
    await write('apps/console/src/main.ts', 'document.title = "second"')
    expect(await build()).toBe(true)
    expect(await script()).toContain('second')
    await write('libs/audit/src/index.ts', 'export const a = 2')
    expect(await build()).toBe(true)
    expect((await readdir(folder)).sort()).toEqual(['.built', 'assets', 'index.html'])
  })

  it('stays as it was when a build fails with its reason, and is built again the next time', async () => {
    await build()
    await write('apps/console/src/main.ts', 'this is no script')
    await expect(build()).rejects.toThrow(/main\.ts/)
    expect(await script()).toContain('first')
    await write('apps/console/src/main.ts', 'document.title = "mended"')
    expect(await build()).toBe(true)
    expect(await script()).toContain('mended')
  })

  it('stops being built when the engine stops', async () => {
    const stopped = new AbortController()
    stopped.abort()
    await expect(build(stopped.signal)).rejects.toMatchObject({ name: 'AbortError' })
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
