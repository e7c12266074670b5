import type { CommandSpec } from '../../cli/CommandSpec.ts'

/** `client …`. */
export const clientCommands: CommandSpec = {
  name: 'client',
  summary: 'Say who else may enter the NATS of the engine in this folder.',
  description:
    'Programs of the user who started the engine find the key to its nats-server by themselves. Another user needs one: it lets a program send, receive, settle and manage queues, under its own name, and read or write nothing else in NATS.',
  subcommands: [
    {
      name: 'add',
      summary: 'Let a client in, and write its key to a file.',
      description:
        'The file is the only copy of the key; hand it to the user whose programs it is for. It counts at once.',
      examples: [{ command: 'kiroku client add shop', description: 'Writes shop.nk' }],
      arguments: [{ name: 'name', description: 'Its name: up to 32 letters, digits, - and _.' }],
      flags: [
        { name: 'out', kind: 'text', metavar: 'FILE', description: 'File for the key; default: NAME.nk.' },
      ],
      settings: ['dataDir'],
      load: () => import('./add.ts'),
    },
    {
      name: 'list',
      summary: 'List the clients that were let in.',
      settings: ['dataDir'],
      load: () => import('./list.ts'),
    },
    {
      name: 'remove',
      summary: 'Let a client in no longer, and disconnect it.',
      arguments: [{ name: 'name', description: 'Its name.' }],
      settings: ['dataDir'],
      load: () => import('./remove.ts'),
    },
  ],
}
