import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { KirokuError } from '@kiroku/protocol'
import { temporaryFolder } from '@kiroku/testkit'
import { zipSync } from 'fflate'
import { createTar } from 'nanotar'
import { describe, expect, onTestFinished, test } from 'vitest'
import { executable } from './NatsBinary.ts'
import { archiveNameOf } from './ReleaseArchive.ts'
import { ensureNatsServer, type EnsureOptions, type FoundNatsServer } from './ensureNatsServer.ts'
import { archiveBytesMax } from './limits.ts'

const version = '2.12.9'
const name = archiveNameOf(version, process.platform, process.arch) ?? 'none'

const archiveWith = (program: string): Buffer => {
  const path = `${name.replace(/\.(tar\.gz|zip)$/, '')}/${executable}`
  return name.endsWith('.zip')
    ? Buffer.from(zipSync({ [path]: Buffer.from(program) }))
    : gzipSync(createTar([{ name: path, data: program }]))
}
const good = archiveWith(`#!/bin/sh\necho "nats-server: v${version}"\n`)
const sumsOf = (archive: Buffer): string =>
  `${'0'.repeat(64)}  other.tar.gz\n${createHash('sha256').update(archive).digest('hex')}  ${name}\n`

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A release on loopback whose archive is answered by `answer`. */
const release = async (answer: RequestListener, sums = sumsOf(good)): Promise<string> => {
  const host = await serve((request, response) =>
    request.url === `/v${version}/SHA256SUMS`
      ? response.end(sums)
      : request.url === `/v${version}/${name}`
        ? answer(request, response)
        : response.writeHead(404).end(),
  )
  return `${host}/v{version}`
}

/** An empty cache, and what a machine with that alone finds. */
const emptyCache = async () => {
  const made = await temporaryFolder()
  onTestFinished(() => made.remove())
  const folder = join(made.path, 'kiroku/nats-server')
  return {
    path: made.path,
    folder,
    ensure: (address: string, options: EnsureOptions = {}, env = {}): Promise<FoundNatsServer> =>
      ensureNatsServer({
        version,
        release: address,
        env: { PATH: '', XDG_CACHE_HOME: made.path, ...env },
        ...options,
      }),
    /** The error of a fetch that must leave nothing behind. */
    refused: async (address: string): Promise<string> => {
      const error = await ensureNatsServer({
        version,
        release: address,
        env: { PATH: '', XDG_CACHE_HOME: made.path },
      }).catch((e: unknown) => e)
      expect(error).toBeInstanceOf(KirokuError)
      expect((error as KirokuError).id).toBe('NatsServerMissing')
      expect(await readdir(folder)).toEqual([])
      return (error as KirokuError).message
    },
  }
}

describe('a release', () => {
  test('is fetched, checked, told about byte by byte, and found in the cache from then on', async () => {
    const cache = await emptyCache()
    const read: Array<[number, number | undefined]> = []
    const said: string[] = []
    const address = await release((_, response) =>
      response.writeHead(200, { 'content-length': good.length }).end(good),
    )
    const found = await cache.ensure(address, {
      onBytes: (...bytes) => read.push(bytes),
      onProgress: (what) => said.push(what),
    })
    expect(found).toEqual({ path: join(cache.folder, version, executable), version, source: 'fetched' })
    expect(read.at(-1)).toEqual([good.length, good.length])
    expect(said).toEqual([`Fetching nats-server ${version} from ${new URL(address).host}`])
    expect((await stat(found.path)).mode & 0o111).toBe(0o111)
    expect(await readdir(cache.folder)).toEqual([version])
    expect((await cache.ensure('http://127.0.0.1:1')).source).toBe('cache')
  })

  test('is downloaded once when several ask for it at the same time', async () => {
    const cache = await emptyCache()
    let downloads = 0
    const address = await release((_, response) => {
      downloads++
      response.end(good)
    })
    const found = await Promise.all([1, 2, 3].map(() => cache.ensure(address)))
    expect(found.map(({ source }) => source).sort()).toEqual(['cache', 'cache', 'fetched'])
    expect(downloads).toBe(1)
  })

  test('comes out of a folder and from a file address, too', async () => {
    const { path } = await emptyCache()
    const folder = join(path, 'mirror', version)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, name), good)
    await writeFile(join(folder, 'SHA256SUMS'), sumsOf(good))
    for (const address of [join(path, 'mirror', '{version}'), pathToFileURL(folder).href])
      expect((await (await emptyCache()).ensure(address)).source).toBe('fetched')
  })

  test('is followed where its host redirects to', async () => {
    const elsewhere = await serve((_, response) => response.end(good))
    const address = await release((_, response) =>
      response.writeHead(302, { location: `${elsewhere}/signed?key=1` }).end(),
    )
    expect((await (await emptyCache()).ensure(address)).source).toBe('fetched')
  })

  test('comes through the proxy that the environment names', async () => {
    const asked: string[] = []
    const proxy = await serve((request, response) => {
      asked.push(request.url ?? '')
      response.end(request.url?.endsWith('SHA256SUMS') === true ? sumsOf(good) : good)
    })
    const found = await (await emptyCache()).ensure('http://release.invalid', {}, { HTTP_PROXY: proxy })
    expect(found.source).toBe('fetched')
    expect(asked).toEqual(['http://release.invalid/SHA256SUMS', `http://release.invalid/${name}`])
  })
})

describe('nothing enters the cache', () => {
  test('where the archive was altered', async () => {
    const altered = archiveWith(`#!/bin/sh\necho "nats-server: v${version}" # and more\n`)
    const said = await (await emptyCache()).refused(await release((_, response) => response.end(altered)))
    expect(said).toContain(`${name} is not what SHA256SUMS of the release says`)
  })

  test('where the archive is cut off', async () => {
    const address = await release((_, response) => {
      response.writeHead(200, { 'content-length': good.length })
      response.write(good.subarray(0, 20), () => response.destroy())
    })
    expect(await (await emptyCache()).refused(address)).toMatch(/was cut off after \d+ bytes/)
  })

  test('where the archive is missing', async () => {
    const address = await release((_, response) => response.writeHead(404).end())
    expect(await (await emptyCache()).refused(address)).toContain(`${name} answered 404`)
  })

  test('where the release has no SHA256SUMS', async () => {
    const host = await serve((request, response) =>
      request.url === `/${name}` ? response.end(good) : response.writeHead(404).end(),
    )
    expect(await (await emptyCache()).refused(host)).toContain('SHA256SUMS answered 404')
  })

  test('where SHA256SUMS does not name the archive', async () => {
    const address = await release((_, response) => response.end(good), `${'0'.repeat(64)}  other.tar.gz\n`)
    expect(await (await emptyCache()).refused(address)).toContain(
      `SHA256SUMS of the release does not name ${name}`,
    )
  })

  test('where the archive is of another system', async () => {
    const foreign = archiveWith('\u007fELF of another machine')
    const address = await release((_, response) => response.end(foreign), sumsOf(foreign))
    expect(await (await emptyCache()).refused(address)).toContain('does not run on this machine')
  })

  test('where the archive holds another version', async () => {
    const other = archiveWith('#!/bin/sh\necho "nats-server: v2.14.0"\n')
    const address = await release((_, response) => response.end(other), sumsOf(other))
    expect(await (await emptyCache()).refused(address)).toContain(`is 2.14.0, not ${version}`)
  })

  test('where what is sent is larger than an archive can be', async () => {
    const address = await release((_, response) => {
      response.writeHead(200, { 'content-length': archiveBytesMax + 1 }).flushHeaders()
    })
    expect(await (await emptyCache()).refused(address)).toContain(`is larger than ${archiveBytesMax} bytes`)
  })

  test('where the host redirects in a circle', async () => {
    const host = await serve((request, response) => response.writeHead(302, { location: request.url }).end())
    expect(await (await emptyCache()).refused(host)).toContain('redirects more than 5 times')
  })

  test('where the host never answers', async () => {
    const said = await (await emptyCache()).refused(await serve(() => {}))
    expect(said).toContain('did not answer within 5 s')
  })

  test('where the download stands still', async () => {
    const address = await release((_, response) => {
      response.writeHead(200, { 'content-length': good.length }).write(good.subarray(0, 20))
    })
    expect(await (await emptyCache()).refused(address)).toContain('sent nothing for 8 s')
  })
})
