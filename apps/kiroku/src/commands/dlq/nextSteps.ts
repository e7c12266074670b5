import type { Explanation } from '@kiroku/audit'
import { columns } from '../../cli/columns.ts'

interface Group {
  readonly queue: string
  readonly group: string
  readonly samples: readonly string[]
}

/** Useful next commands, with what they do, as text. */
export const nextSteps = (of: Explanation | Group): string[] => {
  const steps = 'group' in of ? ofGroup(of) : ofMessage(of)
  return steps.length === 0 ? [] : ['what to do next:', columns(steps.map((step) => ['', ...step]))]
}

type Step = readonly [command: string, does: string]

const ofGroup = ({ queue, group, samples }: Group): Step[] => [
  [`kiroku dlq explain ${samples[0] ?? ''}`, 'the story of one of them'],
  [`kiroku dlq redrive ${queue} --group ${group} --dry-run`, 'what would go back, and what would not'],
  [`kiroku dlq redrive ${queue} --group ${group} --rate 50`, 'bring them back, 50 per second'],
]

const ofMessage = ({ messageId, state, queue, died }: Explanation): Step[] => {
  if (died === undefined || queue !== died.target || state !== 'Available')
    return [[`kiroku trace ${messageId}`, 'all of its events']]
  return [
    [`kiroku dlq explain ${queue} --group ${died.group}`, 'others that failed like this'],
    [`kiroku dlq edit ${messageId} --set PATH=VALUE --reason WHY`, 'correct its body first'],
    [`kiroku dlq redrive ${queue} --message ${messageId}`, `bring it back to ${died.queue}`],
    [`kiroku trace ${messageId}`, 'all of its events'],
  ]
}
