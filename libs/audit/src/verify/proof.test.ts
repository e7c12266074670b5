import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repair } from '../repair/repair.ts'
import { ask, forge, lastFrame, receive, send, tester } from '../testing/TestRecord.ts'
import { parseProof, proofOf, renderProof, type Proof } from './Proof.ts'
import { verify } from './verify.ts'

let engine: MemoryEngine

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 1, checkpoints: { bytesMin: 30_000, ageMs: 1e9 } })
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: {}, by: tester })
  await send(engine, 0, 'mail', 'a', 'b')
  await ask(engine, 0, { type: 'Ack', items: (await receive(engine, 0, 'mail', 1)).items })
})
afterEach(() => engine.close())

const prove = async (): Promise<Proof> =>
  parseProof(renderProof(proofOf(engine.log, await verify(engine.log, { decodeCheckpoint }), 0)))
const since = async (proof: Proof) => {
  const report = await verify(engine.log, { decodeCheckpoint, against: proof })
  return { ok: report.ok, ...report.partitions[0]!.sinceProof! }
}

describe('a proof', () => {
  it('names the head of each chain, counts and versions', async () => {
    const { seq } = await lastFrame(engine.log, 0)
    expect(await prove()).toMatchObject({
      kiroku: 'proof',
      incarnation: 'memory',
      frameVersion: 1,
      partitions: [
        { partition: 0, firstSeq: 1, seq, head: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      ],
      totals: { sent: 2, committed: 1, live: 1 },
    })
  })

  it('shows later that nothing before it has changed', async () => {
    const proof = await prove()
    const { seq } = proof.partitions[0]!
    expect(await since(proof)).toMatchObject({ ok: true, result: 'same' })
    await send(engine, 0, 'mail', 'c')
    await engine.restart()
    expect(await since(proof)).toMatchObject({ ok: true, result: 'same', seq, checkedFrom: 1, unchecked: 0 })
  })

  it('says what can no longer be checked after a trim', async () => {
    const proof = await prove()
    const handle = await engine.log.partition(0)
    for (let i = 0; (await handle.checkpoints.list()).length < 2; i++)
      await send(engine, 0, 'mail', ...Array.from({ length: 20 }, (_, n) => `text ${n}`.repeat(20)))
    await waitUntil(() => engine.node().actors.get(0)!.state.checkpoints.length === 2)
    const [newer, older] = (await handle.checkpoints.list()) as [number, number]
    await engine.close()
    await forge(engine.log, 0, [{ type: 'Trimmed', upTo: older - 1 }])
    const later = await prove()
    await handle.trim(older - 1)
    expect(await since(proof)).toMatchObject({ ok: true, result: 'trimmed' })
    const found = await since(later)
    expect(found).toMatchObject({ ok: true, result: 'same', checkedFrom: older, unchecked: older - 1 })
    expect(found.message).toContain(`records 1 to ${older - 1} were trimmed`)
    expect(newer).toBeGreaterThan(older)
  })

  it('shows that the end was rewritten, although every rule is kept', async () => {
    const proof = await prove()
    await engine.close()
    engine.log.faults.loseTail(0, 1)
    await forge(engine.log, 0, [{ type: 'DeliveryPaused', queue: 1, by: tester }])
    const report = await verify(engine.log, { decodeCheckpoint })
    expect(report.ok).toBe(true)
    expect(await since(proof)).toMatchObject({ ok: false, result: 'changed' })
  })

  it('shows that records are missing at the end', async () => {
    const proof = await prove()
    await engine.close()
    engine.log.faults.loseTail(0, 1)
    const found = await since(proof)
    expect(found).toMatchObject({ ok: false, result: 'changed' })
    expect(found.message).toContain('the log ends at')
  })

  it('shows that a repair gave up what it covers', async () => {
    await send(engine, 0, 'mail', 'c')
    const proof = await prove()
    const { seq } = await lastFrame(engine.log, 0)
    await engine.close()
    engine.log.faults.damage(0, seq - 1)
    await repair(engine.log, 0, { decodeCheckpoint, by: tester, note: 'the disk' })
    expect(await since(proof)).toMatchObject({ ok: false, result: 'changed' })
  })

  it('of another log, an edited one, and what is not a proof are refused', async () => {
    const proof = await prove()
    await expect(since({ ...proof, incarnation: 'other' })).rejects.toMatchObject({ id: 'InvalidArgument' })
    const text = renderProof(proof)
    expect(() => parseProof(text.replace('"sent": 2', '"sent": 3'))).toThrow('its own digest')
    expect(() => parseProof('{}')).toThrow('not a proof')
    expect(() => parseProof('x')).toThrow('not JSON')
    expect(() => parseProof(text.replace('"version": 1', '"version": 2'))).toThrow('version 2')
  })

  it('of the first version can still be read', () => {
    const text =
      '{"kiroku": "proof", "version": 1, "log": "main", "incarnation": "7a914a81", "frameVersion": 1, "madeAt": "2026-11-22T00:00:00.000Z", "partitions": [{"partition": 0, "firstSeq": 1, "seq": 12, "head": "abababababababababababababababababababababababababababababababab", "frames": 12, "events": 15, "transitions": 6}], "totals": {"frames": 12, "events": 15, "transitions": 6, "sent": 3, "live": 2, "committed": 1, "deadLettered": 0, "discarded": 0}, "digest": "5decdd66e29d72e56c199135bf7acd48aa175150c1ba114ec6dfa22d59d68c34"}'
    expect(parseProof(text)).toMatchObject({ partitions: [{ seq: 12 }], totals: { sent: 3 } })
  })

  it('is not made of a damaged record', async () => {
    await engine.close()
    engine.log.faults.damage(0, (await lastFrame(engine.log, 0)).seq)
    await expect(prove()).rejects.toMatchObject({ id: 'LogDamaged' })
  })
})
