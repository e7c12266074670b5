import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { temporaryFolder, waitUntil, withNats } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { readyOf } from '../testing/Kiroku.ts'
import { withKiroku } from '../testing/withKiroku.ts'

const nats = withNats()
const kiroku = withKiroku()

interface Report {
  readonly ok: boolean
  readonly partitions: readonly { readonly witnesses?: { readonly agreed: number } }[]
}

it(
  'an engine signs anchors of its log, which verify holds against the record, and refuses when they are torn',
  { timeout: 120_000 },
  async () => {
    await using folder = await temporaryFolder()
    const [anchors, key, pub] = ['anchors.ndjson', 'key.pem', 'pub.pem'].map((name) =>
      path.join(folder.path, name),
    ) as [string, string, string]
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    await writeFile(pub, publicKey.export({ type: 'spki', format: 'pem' }))
    const log = ['--nats', nats().url, '--log', 'anchored', '--json']
    const serving = kiroku().start([
      ...['serve', ...log, '--partitions', '1', '--http', '127.0.0.1:0'],
      ...['--anchors', anchors, '--anchor-key', key, '--anchor-every', '1'],
    ])
    await readyOf(serving)
    await kiroku().run(['queue', 'create', 'mail', ...log])
    await kiroku().run(['send', 'mail', 'x', ...log])
    await waitUntil(async () => (await readFile(anchors, 'utf8').catch(() => '')).split('\n').length > 3, {
      timeoutMs: 30_000,
    })
    const verify = async (file: string) => {
      const { exit, json } = await kiroku().run(['verify', '--anchors', file, '--key', pub, ...log])
      return [exit, json() as Report] as const
    }
    const [exit, report] = await verify(anchors)
    expect([exit, report.ok]).toEqual([0, true])
    expect(report.partitions[0]!.witnesses!.agreed).toBeGreaterThan(2)

    const torn = path.join(folder.path, 'torn.ndjson')
    await writeFile(torn, (await readFile(anchors, 'utf8')).slice(0, -9))
    const refused = await kiroku().run(['verify', '--anchors', torn, '--key', pub, ...log])
    expect([refused.exit === 0, refused.stderr]).toEqual([false, expect.stringMatching(/is cut off/)])
  },
)
