import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parseTokens, Tokens, type OpenDoor } from '@kiroku/doors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startApi } from '../startApi.ts'
import { unusedTestDependencies } from '../testing/unusedTestDependencies.ts'
import type { MissingPage } from './ConsolePages.ts'

const page = '<!doctype html><title>Kiroku</title>'
const script = 'console.log("a script that is long enough to be compressed")\n'.repeat(50)

let base: string
let folder: string
let api: OpenDoor
let missing: MissingPage

beforeEach(async () => {
  missing = { why: 'run the build', soon: false }
  base = await mkdtemp(join(tmpdir(), 'kiroku-console-'))
  folder = join(base, 'dist')
  await mkdir(join(folder, 'assets', 'deep'), { recursive: true })
  await writeFile(join(folder, 'index.html'), page)
  await writeFile(join(folder, 'assets', 'index-abc123.js'), script)
  await writeFile(join(folder, 'assets', 'deep', 'style-1.css'), 'body{}')
  await writeFile(join(folder, 'assets', 'font-1.woff2'), 'a font')
  await writeFile(join(base, 'secret.js'), 'what is hidden')
})

afterEach(async () => {
  await api.close()
  await rm(base, { recursive: true })
})

const serve = async ({ isReadOnly = false, tokens = '', off = false } = {}): Promise<void> => {
  api = await startApi(unusedTestDependencies, {
    host: '127.0.0.1',
    port: 0,
    tokens: new Tokens(parseTokens(tokens)),
    bodyBytesMax: 1_000,
    drainMs: 100,
    ...(off ? {} : { console: { folder, isReadOnly, missing: () => missing } }),
  })
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** Asks for a path as it is written: `fetch` would clean it and unpack the answer. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url)
    const asked = request({ hostname, port, path, method, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as Answer['headers'],
          body: Buffer.concat(parts),
        }),
      )
    })
    asked.on('error', reject)
    asked.end()
  })

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the console', () => {
  it('is shown at the root, may load nothing from elsewhere, and is requested again each time', async () => {
    await serve()
    const { status, headers, body } = await ask('/')
    expect([status, body.toString()]).toEqual([200, page])
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    })
    await writeFile(join(folder, 'index.html'), 'another build')
    expect((await ask('/')).body.toString()).toBe('another build')
  })

  it.each(['/messages/abc-0-1-1?at=5', '/queues/mail', '/v10', '/index.html'])(
    'answers a browser that opens %s with its page',
    async (path) => {
      await serve()
      const { status, body } = await ask(path, html)
      expect([status, body.toString()]).toEqual([200, page])
    },
  )

  it.each(['/v1/nothing', '/v1', '/health/nothing', '/metrics/x', '/docs/x', '/assets/none.js'])(
    'leaves %s to the API',
    async (path) => {
      await serve()
      const { status, headers } = await ask(path, html)
      expect([status, headers['content-type']]).toEqual([404, 'application/json'])
    },
  )

  it('leaves requests of programs, and anything but GET, to the API', async () => {
    await serve()
    expect((await ask('/queues/mail', { accept: 'application/json' })).status).toBe(404)
    expect((await ask('/queues/mail', html, 'POST')).status).toBe(404)
    const docs = await ask('/docs', html)
    expect(docs.headers['content-security-policy']).toContain("'unsafe-inline'")
  })

  it('lets browsers keep files whose names change with their content', async () => {
    await serve()
    const { headers, body } = await ask('/assets/index-abc123.js')
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(headers['content-encoding']).toBeUndefined()
    expect(body.toString()).toBe(script)
    expect((await ask('/assets/deep/style-1.css')).headers['content-type']).toBe('text/css; charset=utf-8')
    const head = await ask('/assets/index-abc123.js', {}, 'HEAD')
    expect([head.status, head.body.length]).toEqual([200, 0])
  })

  it('compresses files as the browser accepts', async () => {
    await serve()
    const path = '/assets/index-abc123.js'
    const best = await ask(path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
    expect(best.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(best.body.length).toBeLessThan(script.length / 5)
    expect(brotliDecompressSync(best.body).toString()).toBe(script)
    const older = await ask(path, { 'accept-encoding': 'gzip;q=0.5, br;q=0' })
    expect(older.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(older.body).toString()).toBe(script)
    const font = await ask('/assets/font-1.woff2', { 'accept-encoding': 'br' })
    expect(font.headers).toMatchObject({ 'content-type': 'font/woff2' })
    expect(font.headers['content-encoding']).toBeUndefined()
  })

  it('sends files that the build compressed as they are', async () => {
    const packed = brotliCompressSync('compressed by the build')
    await writeFile(join(folder, 'assets', 'index-abc123.js.br'), packed)
    await serve()
    const path = '/assets/index-abc123.js'
    const { headers, body } = await ask(path, { 'accept-encoding': 'br' })
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
    })
    expect(body).toEqual(packed)
    expect((await ask(path)).body.toString()).toBe(script)
  })

  it.each([
    '/assets/../../secret.js',
    '/assets/..%2f..%2fsecret.js',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/assets/..\\..\\secret.js',
    '/assets//etc/passwd',
    '/assets/.hidden',
    '/assets/deep',
    '/assets/%00',
    '/assets/%zz',
  ])('gives nothing away for %s', async (path) => {
    await writeFile(join(folder, 'assets', '.hidden'), 'what is hidden')
    await serve()
    const { status, body } = await ask(path)
    expect(status).toBe(404)
    expect(body.toString()).not.toContain('what is hidden')
  })

  it('says what to do when it was not built, and is served once it is', async () => {
    await rm(folder, { recursive: true })
    await serve()
    const before = await ask('/', html)
    expect([before.status, before.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
    expect(before.body.toString()).toContain('run the build')
    expect(before.body.toString()).not.toContain('http-equiv')
    expect((await ask('/assets/index-abc123.js')).status).toBe(404)
    await mkdir(join(folder, 'assets'), { recursive: true })
    await writeFile(join(folder, 'index.html'), page)
    await writeFile(join(folder, 'assets', 'index-abc123.js'), script)
    expect((await ask('/')).status).toBe(200)
    expect((await ask('/assets/index-abc123.js')).body.toString()).toBe(script)
  })

  it('reloads itself while it is being built, until it is there', async () => {
    await rm(join(folder, 'index.html'))
    missing = { why: 'building <it>', soon: true }
    await serve()
    const { status, headers, body } = await ask('/', html)
    expect([status, headers['retry-after']]).toEqual([503, '1'])
    expect(body.toString()).toContain('<meta http-equiv="refresh" content="1">')
    expect(body.toString()).toContain('building &#60;it&#62;')
  })

  it('is not served when it is off', async () => {
    await serve({ off: true })
    expect((await ask('/', html)).status).toBe(404)
    expect((await ask('/assets/index-abc123.js')).status).toBe(404)
  })
})

describe('the session', () => {
  const session = async (token?: string): Promise<unknown> => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return JSON.parse((await ask('/v1/session', headers)).body.toString())
  }

  it('says without tokens that everyone is admin, and what is served', async () => {
    await serve()
    expect(await session()).toEqual({
      name: 'local',
      role: 'admin',
      commands: true,
      log: 'main',
      incarnation: 'abc',
      partitions: 2,
      version: '1.2.3',
      tokens: false,
      startedAt: 1_000,
      pid: 7,
      folder: '/data',
    })
  })

  it("names the token's owner, and asks for a token", async () => {
    await serve({ tokens: 'vic:viewer:the-token-of-vic,olga:operator:the-token-of-olga' })
    expect(await session('the-token-of-vic')).toMatchObject({ name: 'vic', role: 'viewer', commands: false })
    expect(await session('the-token-of-olga')).toMatchObject({ name: 'olga', commands: true, tokens: true })
    expect(await session('a-wrong-token')).toMatchObject({ id: 'Unauthorized' })
    expect(await session()).toMatchObject({ id: 'Unauthorized' })
    expect((await ask('/', html)).status).toBe(200)
  })

  it.each([{ isReadOnly: true }, { off: true }])('allows the console no command with %o', async (options) => {
    await serve(options)
    expect(await session()).toMatchObject({ role: 'admin', commands: false })
  })
})

describe('a read-only console', () => {
  const create = async (headers: Record<string, string>) => {
    const response = await fetch(`${api.url}/v1/queues`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer the-token-of-ann', ...headers },
      body: '{}',
    })
    return [response.status, await response.json()]
  }
  const refused = [403, { id: 'Forbidden', help: expect.stringContaining('`console: on`') as string }]

  it('refuses pages whatever a viewer may not do, with any token', async () => {
    await serve({ isReadOnly: true, tokens: 'ann:admin:the-token-of-ann' })
    expect(await create({ 'sec-fetch-site': 'same-origin' })).toMatchObject(refused)
    // Over plain HTTP to another machine.
    expect(await create({ origin: 'http://10.0.0.7:8480' })).toMatchObject(refused)
    const headers = { authorization: 'Bearer the-token-of-ann', 'sec-fetch-site': 'same-origin' }
    expect((await ask('/v1/session', headers)).status).toBe(200)
  })

  it('leaves programs alone', async () => {
    await serve({ isReadOnly: true, tokens: 'ann:admin:the-token-of-ann' })
    expect(await create({})).toMatchObject([400, { id: 'InvalidArgument' }])
  })

  it('is read-only only when set so', async () => {
    await serve({ tokens: 'ann:admin:the-token-of-ann' })
    const headers = { 'sec-fetch-site': 'same-origin', origin: api.url }
    expect(await create(headers)).toMatchObject([400, { id: 'InvalidArgument' }])
  })
})
