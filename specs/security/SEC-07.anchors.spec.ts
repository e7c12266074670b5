import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verify, type VerifyReport, type Witness } from '@kiroku/audit'
import { anchorWitnesses, Auditor, keptWitnesses } from '@kiroku/auditor'
import { createClient, inProcess } from '@kiroku/client'
import { createMemoryLog, decodeRecord, encodeRecord, type MemoryLog, zeroHash } from '@kiroku/log'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine } from '@kiroku/testkit/engine'
import { describe, expect, it } from 'vitest'

const pemOf = (pair: ReturnType<typeof newKey>) => ({
  secret: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  open: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
})
const newKey = () => generateKeyPairSync('ed25519')

/** Payments on record, followed by an auditor that signs an anchor every three records. */
const anchored = async () => {
  await using building = new AsyncDisposableStack()
  const folder = building.use(await temporaryFolder())
  const [file, keyFile] = [join(folder.path, 'anchors.ndjson'), join(folder.path, 'anchors.key')]
  const key = pemOf(newKey())
  await writeFile(keyFile, key.secret)
  const engine = await startMemoryEngine({ partitions: 1 })
  building.defer(() => engine.close())
  const client = createClient(inProcess(engine.node()))
  building.defer(() => client.close())
  await client.queues.create('payments')
  for (let i = 0; i < 12; i++) await client.send('payments', 'pay 100 to ann')
  for (const message of await client.receive('payments', { max: 4 })) await message.ack()
  const { log } = engine
  const followed = { log, dataDir: folder.path, decodeCheckpoint }
  const auditor = new Auditor({ ...followed, onTrouble: () => {}, anchors: { file, keyFile, every: 3 } })
  void auditor.run()
  const { lastSeq } = await (await log.partition(0)).state()
  await waitUntil(async () => {
    const text = await readFile(file, 'utf8').catch(() => '')
    return text !== '' && anchorWitnesses(log, text, key.open).at(-1)!.seq > lastSeq - 3
  })
  await auditor.stop()
  const made = building.move()
  return {
    log,
    key,
    text: await readFile(file, 'utf8'),
    kept: await keptWitnesses(followed),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  }
}

/** What the keeper of a record can do: the same history from its first record on, with another payee. */
const rewritten = async (log: MemoryLog): Promise<MemoryLog> => {
  const other = createMemoryLog({ partitions: 1 })
  const partition = await log.partition(0)
  const { firstSeq, lastSeq } = await partition.state()
  let before: Uint8Array = zeroHash
  for await (const { data } of partition.read(firstSeq, lastSeq)) {
    const record = decodeRecord(data)
    if (record.kind !== 'frame') throw new Error('no body is that large')
    const { epoch, at, events } = record
    const queues = [...new Set(events.flatMap((e) => (e.type === 'Enqueued' ? [e.queue] : [])))]
    const sections = queues.map((queue) => ({
      queue,
      bodies: Array.from({ length: record.bodyCount(queue) }, (_, i) =>
        Buffer.from(
          Buffer.from(record.body(queue, i) as Uint8Array)
            .toString('latin1')
            .replace('ann', 'eve'),
          'latin1',
        ),
      ),
    }))
    const { bytes, hash } = encodeRecord({ epoch, at, events, sections }, before)
    other.faults.write(0, bytes)
    before = hash
  }
  return other
}

const check = (log: MemoryLog, witnesses: readonly Witness[]): Promise<VerifyReport> =>
  verify(log, { decodeCheckpoint, witnesses })

describe('[SEC-07] a history that was rewritten from its first record on', () => {
  it('[SEC-07] keeps every rule, and is found by the anchors', async () => {
    await using scene = await anchored()
    const { log, text, key } = scene
    const anchors = anchorWitnesses(log, text, key.open)
    expect(anchors.length).toBeGreaterThan(3)
    const honest = await check(log, anchors)
    expect(honest.ok).toBe(true)
    expect(honest.partitions[0]!.witnesses).toEqual({
      agreed: anchors.length,
      silent: 0,
      upTo: anchors.at(-1)!.seq,
    })

    const forged = await rewritten(log)
    expect((await check(forged, [])).ok).toBe(true)
    const found = await check(forged, anchors)
    expect(found.ok).toBe(false)
    const first = anchors.find(({ seq }) => seq > 6)!
    expect(found.partitions[0]!.witnesses!.contradiction!.seq).toBeLessThanOrEqual(first.seq)
  })

  it('[SEC-07] is found by what the auditor keeps, where nobody rewrote that as well', async () => {
    await using scene = await anchored()
    const { log, kept } = scene
    expect(kept.map(({ name }) => name)).toContain('the index')
    expect((await check(log, kept)).ok).toBe(true)
    const { ok, partitions } = await check(await rewritten(log), kept)
    expect([ok, partitions[0]!.witnesses!.contradiction!.message]).toEqual([
      false,
      expect.stringMatching(/is not the one that the index saw/),
    ])
  })

  it('[SEC-07] is found where it is only shorter', async () => {
    await using scene = await anchored()
    const { log, text } = scene
    const anchors = anchorWitnesses(log, text)
    log.faults.loseTail(0, 4)
    const { partitions } = await check(log, anchors)
    expect(partitions[0]!.witnesses!.contradiction!.message).toMatch(
      /the log ends at \d+, but anchor \d+ saw/,
    )
  })
})

describe('[SEC-07] a file of anchors', () => {
  it('[SEC-07] that is cut, altered, or of another log is refused', async () => {
    await using scene = await anchored()
    const { log, text, key } = scene
    const lines = text.trimEnd().split('\n')
    const read = (changed: string, publicKey: string | undefined = key.open) =>
      anchorWitnesses(log, changed, publicKey)
    const refused = (changed: string, why: RegExp, publicKey?: string) =>
      expect(() => read(changed, publicKey)).toThrow(
        expect.objectContaining({ id: 'InvalidArgument', message: expect.stringMatching(why) as string }),
      )
    refused(text.slice(0, -20), /anchor \d+ of the file is cut off/)
    refused('', /cut off|no anchors/)
    refused(`${lines.toSpliced(1, 1).join('\n')}\n`, /anchor 2 of the file does not follow/)
    refused(`${lines.slice(1).join('\n')}\n`, /anchor 1 of the file does not follow/)
    refused(text.replace(/"seq":\d+/, '"seq":1'), /not signed with this key|does not follow/)
    refused(
      `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)!.replace(/"hash":"../, '"hash":"00')}\n`,
      /is not signed/,
    )
    refused(text, /anchor 1 of the file is not signed with this key/, pemOf(newKey()).open)
    refused('{"a":1}\n', /is no anchor/)
    expect(() => anchorWitnesses({ meta: { ...log.meta, incarnation: 'other' } }, text)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/are of log main \(memory\), not of main/) as string,
      }),
    )
    // Without its last lines it still vouches for all before them, and no further.
    const cut = read(`${lines.slice(0, -1).join('\n')}\n`)
    const { partitions } = await check(log, cut)
    expect(partitions[0]!.witnesses).toMatchObject({ agreed: lines.length - 1, upTo: cut.at(-1)!.seq })
  })
})
