import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KirokuError } from '@kiroku/protocol'
import { temporaryFolder } from '@kiroku/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ensureNatsServer } from './ensureNatsServer.ts'

const folder = async () => {
  const made = await temporaryFolder()
  onTestFinished(() => made.remove())
  return made.path
}

/** A real executable that says it is a nats-server of `version`. */
const program = async (path: string, version: string) => {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, `#!/bin/sh\necho "nats-server: v${version}"\n`)
  await chmod(path, 0o755)
  return path
}

const errorOf = async (promise: Promise<unknown>): Promise<KirokuError> => {
  const error = await promise.then(
    () => undefined,
    (e: unknown) => e,
  )
  expect(error).toBeInstanceOf(KirokuError)
  return error as KirokuError
}

/** What a process gets whose PATH is `folder` alone: a machine without apt. */
const withoutApt = (folder: string) => {
  const script = `
    import { ensureNatsServer } from '${join(import.meta.dirname, 'ensureNatsServer.ts')}'
    await ensureNatsServer().catch((error) => console.log(JSON.stringify(error.toWire())))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    encoding: 'utf8',
    env: { PATH: folder, XDG_CACHE_HOME: folder, KIROKU_NATS_RELEASE: join(folder, 'no-release') },
  })
  return JSON.parse(stdout) as { id: string; message: string }
}

describe('where nats-server is looked for', () => {
  test('NATS_SERVER comes first', async () => {
    const here = await folder()
    const path = await program(join(here, 'chosen'), '2.12.3')
    await program(join(here, 'bin/nats-server'), '2.15.1')
    const found = await ensureNatsServer({ env: { NATS_SERVER: path, PATH: join(here, 'bin') } })
    expect(found).toEqual({ path, version: '2.12.3', source: 'NATS_SERVER' })
  })

  test('the first on PATH that is new enough comes next, before the cache', async () => {
    const here = await folder()
    await program(join(here, 'old/nats-server'), '2.10.7')
    const path = await program(join(here, 'new/nats-server'), '2.14.0')
    await program(join(here, 'cache/kiroku/nats-server/2.15.1/nats-server'), '2.15.1')
    const env = { PATH: `${join(here, 'old')}:${join(here, 'new')}`, XDG_CACHE_HOME: join(here, 'cache') }
    expect(await ensureNatsServer({ env })).toEqual({ path, version: '2.14.0', source: 'PATH' })
  })

  test('a version that is asked for by name is the only one of the cache that will do', async () => {
    const here = await folder()
    const cache = join(here, 'cache/kiroku/nats-server')
    const path = await program(join(cache, '2.12.1/nats-server'), '2.12.1')
    await program(join(cache, '2.15.1/nats-server'), '2.15.1')
    const env = { PATH: '', XDG_CACHE_HOME: join(here, 'cache'), KIROKU_NATS_VERSION: 'v2.12.1' }
    expect(await ensureNatsServer({ env })).toEqual({ path, version: '2.12.1', source: 'cache' })
  })

  test('the newest of the cache comes last', async () => {
    const here = await folder()
    const cache = join(here, 'cache/kiroku/nats-server')
    await program(join(cache, '2.9.9/nats-server'), '2.9.9')
    await program(join(cache, '2.12.1/nats-server'), '2.12.1')
    const path = await program(join(cache, '2.15.1/nats-server'), '2.15.1')
    const env = { PATH: '', XDG_CACHE_HOME: join(here, 'cache') }
    expect(await ensureNatsServer({ env })).toEqual({ path, version: '2.15.1', source: 'cache' })
  })
})

describe('what cannot be used', () => {
  test('a NATS_SERVER that is too old is refused with its version and what to install', async () => {
    const path = await program(join(await folder(), 'nats-server'), '2.11.0')
    const error = await errorOf(ensureNatsServer({ env: { NATS_SERVER: path, PATH: '' } }))
    expect(error.id).toBe('NatsTooOld')
    expect(error.message).toContain('nats-server 2.11.0')
    expect(error.message).toContain('2.12.0 or newer')
  })

  test('a NATS_SERVER that is no nats-server is refused by its path', async () => {
    const error = await errorOf(ensureNatsServer({ env: { NATS_SERVER: '/nowhere/nats-server', PATH: '' } }))
    expect(error.id).toBe('NatsServerMissing')
    expect(error.message).toContain('/nowhere/nats-server')
  })

  test('without one, without a release and without apt the error gives both reasons and the one command', async () => {
    const here = await folder()
    const error = withoutApt(here)
    expect(error.id).toBe('NatsServerMissing')
    expect(error.message).toMatch(/no-release\/\S+ is not there; apt-get is not installed/)
    expect(error.message).toMatch(/Install nats-server 2\.12\.0 or newer: `.+`/)
  })

  test.each(['latest', '2.15', '../2.15.1', '2.11.9'])('%s is no version to fetch', async (version) => {
    const error = await errorOf(ensureNatsServer({ version, env: { PATH: '' } }))
    expect(error.id).toBe('InvalidConfig')
    expect(error.message).toContain(`"${version}"`)
  })

  test('an old one on PATH without apt is named as too old', async () => {
    const here = await folder()
    await program(join(here, 'nats-server'), '2.9.0')
    expect(withoutApt(here)).toMatchObject({ id: 'NatsTooOld' })
  })
})

const isDebian =
  spawnSync('apt-get', ['--version']).status === 0 &&
  ['gpg', 'pgp'].some((kind) => existsSync(`/usr/share/keyrings/debian-archive-keyring.${kind}`))
const isSkipped = !isDebian && process.env['KIROKU_REQUIRE_ALL'] !== '1'
if (isSkipped)
  console.warn(
    'SKIPPED: fetching nats-server is not tested, because this machine has no apt with Debian keys.',
  )

/** Of a machine that has apt, but neither a nats-server nor a way to its releases. */
const onlyApt = (cache: string) => ({
  PATH: '',
  XDG_CACHE_HOME: cache,
  KIROKU_NATS_RELEASE: 'http://127.0.0.1:1',
})

describe.skipIf(isSkipped)('fetching with apt, where the release cannot be reached', () => {
  test('several processes at once fetch it into one cache, without leaving anything else there', async () => {
    const cache = await folder()
    const said: string[] = []
    const env = onlyApt(cache)
    const fetched = await Promise.all(
      [1, 2].map(() => ensureNatsServer({ env, onProgress: (what) => said.push(what) })),
    )
    const [first, second] = fetched
    expect(first?.path).toEqual(second?.path)
    expect(fetched.map(({ source }) => source).sort()).toEqual(['cache', 'fetched'])
    expect(said).toContain('Waiting for another process, which is fetching nats-server')
    expect(said).toContain('127.0.0.1:1 cannot be reached (ECONNREFUSED)')
    const folderOfVersions = join(cache, 'kiroku/nats-server')
    expect(await readdir(folderOfVersions)).toEqual([first?.version])
    expect((await stat(first?.path ?? '')).mode & 0o111).toBe(0o111)
    expect((await ensureNatsServer({ env })).source).toBe('cache')
  }, 120_000)

  test('a cached binary that does not run is replaced by a fetched one', async () => {
    const env = onlyApt(await folder())
    const { path, version } = await ensureNatsServer({ env })
    await copyFile('/dev/null', path)
    expect(await ensureNatsServer({ env })).toEqual({ path, version, source: 'fetched' })
  }, 120_000)
})
