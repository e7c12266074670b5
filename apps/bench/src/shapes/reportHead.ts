import { availableParallelism } from 'node:os'
import { atomicName, rabbitName, rawName } from './ShapeSystems.ts'
import { markdownTable } from './Report.ts'
import { spreadMax } from './measureTurns.ts'
import type { ShapesSizes } from './sizes.ts'

const meanings = [
  ['system', 'a send is confirmed when', 'an acknowledgement is'],
  ['Kiroku', 'it is on disk', 'on disk before it counts; `stop` waits for that'],
  [rabbitName, 'it is on disk (quorum queue, confirm channel, persistent)', 'on disk, but not confirmed'],
  ['BullMQ', 'it is on disk (`appendfsync always`)', 'on disk before the next job'],
  ['graphile-worker', 'it is committed (`fsync`, `synchronous_commit`)', 'committed, several at once'],
  ['pg-boss', 'it is committed (the same)', 'committed, a batch at once'],
  [rawName, 'it is on disk (`sync_interval: always`)', 'not confirmed, and on disk only later'],
  [atomicName, 'its batch is on disk (the same)', 'the same'],
]

/** What is compared, how, and what a confirmation means in each system: the beginning of the report. */
export const reportHead = (sizes: ShapesSizes): string => {
  const cores = availableParallelism()
  const rounds = sizes.rounds === 1 ? 'one round' : `${sizes.rounds} rounds`
  return `# Shapes, beside what people would take instead

\`npm run bench -- shapes --report FILE\` measures and writes this page, with \`--only PART\` a section of it; \`.ci/install-peers\` installs the peers' servers. Each system runs in
processes and a folder of its own on the same disk, Kiroku as \`kiroku serve\` does by default: 4 partitions, its auditor beside it. One
Node process with the system's client sends, handles, or does both. What was
confirmed survives a loss of power in all of them.

${markdownTable(meanings, 3)}

Medians of ${rounds} on ${cores} ${cores === 1 ? 'core' : 'cores'} after a warm-up, the systems in turns; in each, a system does as many messages as it can
in ${(sizes.turnMs / 1_000).toFixed(1)} s. The spread is the middle half of the rounds over their median; what lies further apart than ${spreadMax * 100} % was
measured twice and is marked (!) where that did not help. A record of Kiroku's log is one fsync. [Where a peer is ahead](shapes-behind.md), a page
says why.

Where a shape leaves the handlers open, Kiroku has \`consumeEach\` as it is by default, RabbitMQ a prefetch of 500, JetStream a pull of 500 or 16 MB,
BullMQ and graphile-worker 100 jobs at a time, graphile-worker with a local queue of 500 too, and pg-boss batches of 500. A peer without
batches has as many messages under way as the handlers' batches hold together.
`
}
