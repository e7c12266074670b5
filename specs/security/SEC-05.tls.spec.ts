import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import * as https from 'node:https'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { connect } from 'node:tls'
import type { CertificatePair } from '@kiroku/doors'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { certificates } from './certificates.ts'
import { CommandLine, launcher } from './CommandLine.ts'

const timeout = 120_000

/** The files of a certificate in the folder of a command line. */
const pairIn = (cli: CommandLine) => {
  const files = { cert: path.join(cli.folder, 'api.crt'), key: path.join(cli.folder, 'api.key') }
  return {
    ...files,
    flags: ['--http-tls-cert', files.cert, '--http-tls-key', files.key],
    write: async ({ cert, key }: CertificatePair) => {
      await writeFile(files.cert, cert)
      await writeFile(files.key, key)
    },
  }
}

/** Asks over TLS and trusts one certificate alone. */
const ask = (url: string, ca: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    https.get(url, { ca, agent: false }, (answer) => json(answer).then(resolve, reject)).once('error', reject)
  })

/** Fingerprint of the certificate that a new connection is shown. */
const shownAt = async (url: string): Promise<string> => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

it(
  '[SEC-05] with a certificate the API speaks TLS alone, and commands of the folder go by https to that certificate',
  { timeout },
  async () => {
    await using cli = await CommandLine.open()
    const pair = pairIn(cli)
    await pair.write(certificates.first)
    const { api } = await cli.engine(['up', ...pair.flags])
    expect(api).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await ask(`${api}/v1/session`, certificates.first.cert)).toMatchObject({ name: 'local' })
    await expect(ask(`${api}/v1/session`, certificates.renewed.cert)).rejects.toThrow(/certificate/)
    await expect(fetch(api.replace('https:', 'http:'))).rejects.toThrow()

    expect(JSON.parse(await readFile(path.join(cli.dataDir, 'run.json'), 'utf8'))).toMatchObject({
      apiUrl: api,
    })
    await cli.output('queue', 'create', 'mail')
    expect(JSON.parse(await cli.output('status', '--json'))).toMatchObject({ api })
    expect(await cli.output('completions', 'words', '--', 'queue', 'show', 'm')).toBe('mail\n')
    const opening = cli.start([launcher, 'open', '--json'], { BROWSER: 'true' })
    await once(opening.child, 'exit')
    expect(JSON.parse(opening.stdout())).toMatchObject({ url: `${api}/` })
    // Another program on its port is not taken for the engine.
    await writeFile(pair.cert, certificates.renewed.cert)
    const misled = cli.start([launcher, 'open'], { BROWSER: 'true' })
    await once(misled.child, 'exit')
    expect(misled.stderr()).toContain('no engine runs in this folder')
  },
)

it(
  '[SEC-05] a renewed certificate is served without a restart, and one that is half written or wrong changes nothing and is logged',
  { timeout },
  async () => {
    await using cli = await CommandLine.open()
    const pair = pairIn(cli)
    await pair.write(certificates.expired)
    const { api, stderr } = await cli.engine(['up', ...pair.flags])
    expect(stderr()).toContain('WARN  the certificate has expired; clients refuse it')
    const expired = await shownAt(api)
    await pair.write(certificates.first)
    await waitUntil(() => stderr().includes('certificate read again'))
    const first = await shownAt(api)
    expect(first).not.toBe(expired)
    expect(await ask(`${api}/health/live`, certificates.first.cert)).toEqual({ status: 'live' })

    // Its key is not there yet.
    await writeFile(pair.cert, certificates.renewed.cert)
    await waitUntil(() => stderr().includes('certificate not read again; the earlier one holds'))
    expect(stderr()).toContain(`--http-tls-key ${pair.key}: the key is not that of the certificate`)
    expect(await shownAt(api)).toBe(first)

    await writeFile(pair.key, certificates.renewed.key)
    await waitUntil(() => stderr().split('certificate read again').length === 3)
    expect(await shownAt(api)).not.toBe(first)
    expect(await ask(`${api}/health/live`, certificates.renewed.cert)).toEqual({ status: 'live' })

    await pair.write(certificates.expired)
    await waitUntil(() => stderr().includes('the certificate expired at 2021-01-01T00:00:00.000Z'))
    expect(await ask(`${api}/health/live`, certificates.renewed.cert)).toEqual({ status: 'live' })

    await writeFile(pair.cert, certificates.first.cert.slice(0, 200))
    await waitUntil(() => stderr().includes('this is no certificate in PEM'))
    expect(await ask(`${api}/health/live`, certificates.renewed.cert)).toEqual({ status: 'live' })
    expect(stderr()).not.toContain('PRIVATE KEY')
  },
)
