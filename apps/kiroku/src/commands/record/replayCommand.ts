import type { CommandSpec } from '../../cli/CommandSpec.ts'
import { gentleFlag, natsSettings } from '../../cli/sharedFlags.ts'

const moment =
  'a sequence (1234, 3/1234), a time in UTC (2026-11-21T14:02:31Z, 14:02:31), or a time span ago (5m)'

/** The command that shows a queue as it was. */
export const replayCommand: CommandSpec = {
  name: 'replay',
  summary: 'Show a queue at any past moment, compare two, or play a span of its past.',
  description:
    'Rebuilds the past of a queue from the log with the engine’s own code: counts, settings and messages at a moment (--at), the difference between two (--diff A B), or every frame between two (--from, --to). Changes nothing and needs no engine. Starts from the nearest state that an auditor saved in the data folder, if there is one.',
  examples: [
    { command: 'kiroku replay mail --at 14:02:31', description: 'The queue at 14:02:31 UTC' },
    {
      command: 'kiroku replay mail --at 5m --state Inflight',
      description: 'What was in flight five minutes ago',
    },
    { command: 'kiroku replay mail --diff 14:00 14:05', description: 'What those five minutes changed' },
    {
      command: 'kiroku replay mail --from 1h --speed 100x',
      description: 'Watch the last hour in 36 seconds',
    },
    { command: 'kiroku replay mail --from 1h --json', description: 'The same as ndjson, one line per frame' },
  ],
  arguments: [
    { name: 'queue', description: 'Name of the queue, which may have been deleted since.' },
    { name: 'until', description: 'With --diff: the second moment; default now.', optional: true },
  ],
  flags: [
    { name: 'at', kind: 'text', metavar: 'MOMENT', description: `The moment: ${moment}. Default: now.` },
    { name: 'diff', kind: 'text', metavar: 'MOMENT', description: 'Compare this moment with UNTIL.' },
    { name: 'from', kind: 'text', metavar: 'MOMENT', description: 'Play from this moment on.' },
    { name: 'to', kind: 'text', metavar: 'MOMENT', description: 'Play up to this moment; default now.' },
    {
      name: 'speed',
      kind: 'text',
      metavar: '1x…1000x|step|max',
      description: 'How fast to play; step waits for a key. Default: 10x on a terminal, else max.',
    },
    {
      name: 'state',
      kind: 'text',
      metavar: 'STATES',
      description: 'With --at: only messages in these states.',
    },
    {
      name: 'where',
      kind: 'text',
      metavar: 'FILTER',
      description:
        'With --at: only messages that match this filter, by state, subscription, attempt, group, partition, number or sent.',
    },
    {
      name: 'limit',
      kind: 'int',
      metavar: 'N',
      description: 'Messages to show; default 20, with --json 100.',
    },
    {
      name: 'after',
      kind: 'text',
      metavar: 'CURSOR',
      description: 'With --at: continue after an earlier page.',
    },
    gentleFlag,
  ],
  settings: natsSettings,
  load: () => import('./replay.ts'),
}
