import { readFileSync } from 'node:fs'
import path from 'node:path'
import { queueSettings, type QueueSetting } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { root } from './runTarget.ts'

const typeOf = (row: QueueSetting): string => {
  if (row.kind === 'choice') return row.choices.map((choice) => `'${choice}'`).join(' | ')
  if (row.kind === 'retry') return 'RetryPolicy'
  if (row.kind === 'queue') return 'DeadLetterTarget | null'
  if (row.kind === 'schema') return 'Readonly<Record<string, unknown>> | null'
  return row.orUnlimited === true ? "number | 'unlimited'" : 'number'
}

it('an editor says of each setting of a queue what its row in the table says', () => {
  const file = path.join(root, 'libs', 'protocol', 'src', 'settings', 'QueueConfig.ts')
  const text = readFileSync(file, 'utf8')
    .replaceAll(/\n +\* (?!\/)/g, ' ')
    .replaceAll(/\s+/g, ' ')
  const [, subscriptions = '', queues = ''] = text.split(/interface \w+Config .*?\{/)
  for (const [name, row] of Object.entries<QueueSetting>(queueSettings))
    expect(row.subscription ? subscriptions : queues).toContain(
      `/** ${row.says} */ readonly ${name}: ${typeOf(row)} `,
    )
})
