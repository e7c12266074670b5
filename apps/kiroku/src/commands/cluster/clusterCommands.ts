import type { ArgumentSpec, CommandSpec, FlagSpec } from '../../cli/CommandSpec.ts'
import { natsSettings } from '../../cli/sharedFlags.ts'

const pinnedArgument: ArgumentSpec = { name: 'partition', description: 'Its number, from 0.' }
const pinReason: FlagSpec = {
  name: 'reason',
  kind: 'text',
  metavar: 'TEXT',
  description: 'Why, as `kiroku cluster status` shows it.',
}

/** `cluster …`. */
export const clusterCommands: CommandSpec = {
  name: 'cluster',
  summary: 'Show nodes and partitions, upgrade them, and try a cluster on one machine.',
  subcommands: [
    {
      name: 'status',
      summary: 'Show who owns which partition, and the state of the log.',
      settings: natsSettings,
      load: () => import('./status.ts'),
    },
    {
      name: 'finalize',
      summary: 'Let nodes record what the previous version cannot read.',
      description:
        'Until then a new version records nothing that older nodes cannot read, so that it can be put back. Run it once every node is upgraded and stays so: it raises the cluster version to the feature level of the nodes, which is an act on record and cannot be undone, and is refused while a live node does not read it.',
      examples: [
        { command: 'kiroku cluster status', description: 'See what each node reads' },
        { command: 'kiroku cluster finalize --reason "all on 0.2"', description: 'Finish the upgrade' },
      ],
      flags: [{ name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' }],
      settings: natsSettings,
      load: () => import('./finalize.ts'),
    },
    {
      name: 'clock',
      summary: 'Show partition clocks, and say which clock is right when they disagree.',
      description:
        "Shows each partition's time next to the clocks of NATS and of its node. If the two are more than five minutes apart, a partition takes no step of that size by itself: correct the wrong clock, or confirm the right one with --accept. Its time then advances to that clock, never back, which is an act on record.",
      examples: [
        { command: 'kiroku cluster clock', description: 'Look' },
        {
          command: 'kiroku cluster clock --accept store --reason "the node had no NTP"',
          description: 'The clock of NATS is right',
        },
      ],
      flags: [
        {
          name: 'accept',
          kind: 'choice',
          choices: ['store', 'node'],
          description: 'The clock that is right: that of NATS, or that of the node.',
        },
        {
          name: 'partition',
          kind: 'int',
          metavar: 'N',
          description: 'Partition; default: all whose clocks disagree.',
        },
        { name: 'reason', kind: 'text', metavar: 'TEXT', description: 'Why, for the record.' },
      ],
      settings: natsSettings,
      load: () => import('./clock.ts'),
    },
    {
      name: 'pin',
      summary: 'Have a partition stay on a host.',
      description:
        'It goes there, and does not move when nodes join or leave, for as long as a node of a weight above 0 runs there; without one it is placed like any other, and returns later. It counts in the share of its node. `kiroku cluster status` shows pins, and who made them.',
      examples: [
        { command: 'kiroku cluster pin 3', description: 'It stays where it is' },
        {
          command: 'kiroku cluster pin 3 --host big-1 --reason "the large queue"',
          description: 'It moves there',
        },
      ],
      arguments: [pinnedArgument],
      flags: [
        { name: 'host', kind: 'text', metavar: 'HOST', description: 'Default: the host of its owner.' },
        pinReason,
      ],
      settings: natsSettings,
      load: async () => ({ run: (await import('./pin.ts')).pin }),
    },
    {
      name: 'unpin',
      summary: 'Let a pinned partition move again.',
      arguments: [pinnedArgument],
      flags: [pinReason],
      settings: natsSettings,
      load: async () => ({ run: (await import('./pin.ts')).unpin }),
    },
    {
      name: 'nats',
      summary: 'Run three nats-servers on this machine as one JetStream cluster, to try nodes on it.',
      description:
        'They listen on loopback, for programs of this user, which find the key to them, on --nats-port and the next two ports, and on the ports 2000 above these for one another; each has a folder in the data folder, and every write reaches the disk before it is acknowledged. Ctrl-C ends all three; the next start continues. For three machines see docs/production.md.',
      examples: [
        { command: 'kiroku cluster nats --data-dir nats', description: 'On the ports 4222 to 4224' },
      ],
      settings: ['natsPort', 'dataDir'],
      load: () => import('./nats.ts'),
    },
  ],
}
