import { basename } from 'node:path'
import type { ApplyOptions, QueueChange } from '@kiroku/client'
import { KirokuError } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { describeChange } from '../../config/queueFlags.ts'
import { queueSections, type QueueSections } from '../../config/queueSections.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const { out } = invocation
  const dryRun = invocation.flag('dry-run')
  const { source, sections, newQueue = {}, settings } = await read(invocation)
  if (Object.keys(sections).length === 0)
    throw new KirokuError('InvalidArgument', `${source} names no queues; name a file that does`)
  const by = { ...localActor(), reason: `apply ${source}` }
  await withClient({ settings }, async (client) => {
    const queues = await client.queues.apply(sections, { source, newQueue, dryRun, by })
    for (const change of queues) out.line(lineOf(change, dryRun))
    out.result({ source, dryRun, queues })
  })
}

/** The sections of the named file, and the settings by which the engine is found. */
const read = async (
  invocation: Invocation,
): Promise<QueueSections & Pick<ApplyOptions, 'newQueue'> & Pick<Invocation, 'settings'>> => {
  const name = invocation.argument('file')
  if (name !== undefined && isWrangler(name)) {
    const { queueSections: sectionsOf, readWranglerConfig } = await import('@kiroku/worker')
    const config = await readWranglerConfig(name, { env: invocation.text('env') })
    return { ...sectionsOf(config), settings: invocation.settings }
  }
  const file = invocation.configFile(name)
  return { ...queueSections(file), settings: () => invocation.settings(file) }
}

const isWrangler = (name: string): boolean => basename(name).startsWith('wrangler.') || name.endsWith('.toml')

const lineOf = (change: QueueChange, dryRun: boolean): string => {
  const { queue, outcome } = change
  const what = describeChange(change)
  switch (outcome) {
    case 'created':
    case 'updated':
      return `queue ${queue} ${dryRun ? 'would be ' : ''}${outcome}${what === '' ? '' : `: ${what}`}`
    case 'unchanged':
      return `queue ${queue} unchanged`
    case 'kept':
      return `queue ${queue} kept: it was changed since this was applied (${what} by the file)`
  }
}
