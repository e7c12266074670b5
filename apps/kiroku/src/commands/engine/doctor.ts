import { join, resolve } from 'node:path'
import { checkRecord } from '@kiroku/audit'
import { askBeat, indexState } from '@kiroku/auditor'
import type { Client } from '@kiroku/client'
import { decodeCheckpoint } from '@kiroku/engine'
import { isKirokuError } from '@kiroku/protocol'
import { auditorBus } from '../../auditor/auditorBus.ts'
import { auditedLog } from '../../audit/auditedLog.ts'
import { lostLogs, tailsOf } from '../../audit/tailsOf.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { lookOptions, withClient, type Connected } from '../../serve/withClient.ts'
import { askKeys } from './askKeys.ts'
import { askServer } from './askServer.ts'
import { diagnose, type Facts } from './diagnose.ts'
import { outageFinding } from './Finding.ts'
import { isStoreEncrypted } from './judgeAtRest.ts'
import { orOutage } from './orOutage.ts'

export const run = (invocation: Invocation): Promise<void> =>
  withClient(
    invocation,
    async (client, connected) => {
      const { nats } = connected
      const { out } = invocation
      const found = await orOutage(nats, () => gather(invocation, client, connected))
      const findings = isKirokuError(found) ? [outageFinding(found)] : diagnose(found)
      for (const { check, status, detail, advice } of findings) {
        out.line(
          `${{ ok: 'ok     ', warning: 'WARNING', bad: 'BAD    ', unknown: 'unknown' }[status]}  ${check}: ${detail}`,
        )
        if (advice !== undefined) out.line(`         ${advice}`)
      }
      const healthy = !findings.some(({ status }) => status === 'bad')
      if (!healthy) process.exitCode = 5
      out.result({ healthy, findings })
    },
    lookOptions,
  )

/**
 * A partition with more bytes than this is read only from its newest checkpoint on, unless all is requested.
 */
const recordBytesMax = 64 * 1024 * 1024

const gather = async (
  invocation: Invocation,
  client: Client,
  { nats, target, log }: Connected,
): Promise<Facts> => {
  const { dataDir } = invocation.settings()
  const [{ managedStatus }, { openLog }] = await Promise.all([
    import('@kiroku/nats-server'),
    import('../../log/logAdapter.ts'),
  ])
  const managed = managedStatus(resolve(dataDir))
  const isOurs = managed !== undefined && nats.getServer().endsWith(`:${managed.port}`)
  const server = await askServer(nats, target)
  const opened = await openLog(nats, { name: log }).catch(() => undefined)
  const { onProgress, done } = showProgress()
  const record =
    opened &&
    (await checkRecord(opened, {
      decodeCheckpoint,
      tails: tailsOf(dataDir, opened),
      bytesMax: invocation.flag('deep') ? Infinity : recordBytesMax,
      onProgress,
    }).finally(done))
  const followed = (await askBeat(auditorBus(nats, log)))?.status
  const index =
    followed === undefined
      ? opened && (await indexState(auditedLog(opened, dataDir)))
      : { isFollowed: true, behind: followed.partitions.reduce((sum, p) => sum + p.lastSeq - p.seq, 0) }
  const meta = opened?.meta
  const queues = meta === undefined ? [] : await client.queues.list().catch(() => [])
  const keys = opened === undefined ? [] : await askKeys(opened.keys, queues)
  await opened?.close()
  const partitions = meta === undefined ? undefined : await client.partitions()
  return {
    natsVersion: nats.info?.version ?? '0',
    natsVersionMin: '2.12.0',
    maxPayloadBytes: nats.info?.max_payload ?? 0,
    syncInterval: isOurs ? managed.syncInterval : server.syncInterval,
    clustered: nats.info?.cluster !== undefined,
    replicas: meta?.replicas,
    clockSkewMs: server.clockSkewMs,
    index,
    storage: (partitions ?? []).flatMap(({ storage }) => storage ?? []),
    memory: (partitions ?? []).flatMap(({ memory }) => memory ?? []),
    checkpoints: (partitions ?? []).flatMap(({ checkpoints }) => checkpoints ?? []),
    recordBytes: meta?.recordBytes,
    recordMs: meta?.recordMs,
    partitions: meta?.partitions,
    partitionsOwned: partitions?.length,
    clocks: partitions ?? [],
    record,
    lostLogs: opened === undefined ? [] : lostLogs(dataDir, opened),
    queues,
    access: server.access,
    isEncrypted: isStoreEncrypted(isOurs ? join(resolve(dataDir), 'nats', 'jetstream') : server.storeFolder),
    held: (partitions ?? []).flatMap(({ held = [] }) => held),
    keys,
  }
}
