import type { CommandSpec } from '../../cli/CommandSpec.ts'

/** `token …`. */
export const tokenCommands: CommandSpec = {
  name: 'token',
  summary: 'Make tokens of the HTTP API.',
  subcommands: [
    {
      name: 'new',
      summary: 'Make a token, and the line for the file of tokens.',
      description:
        'Prints the token, which is shown only here, and a line with its digest for the file that --tokens-file names; engines read that again within seconds. To replace a token, add a second line of the same name, and remove the first once nobody uses it.',
      examples: [
        { command: 'kiroku token new grafana viewer', description: 'May read queues, traces and metrics' },
        { command: 'kiroku token new ann admin --until 2027-01-31', description: 'Ends on that day' },
        {
          command: "kiroku token new shop 'operator@orders-*'",
          description: 'Knows of no queues but those whose names begin with orders-',
        },
      ],
      arguments: [
        { name: 'name', description: 'Name of its holder, as the record will show it.' },
        {
          name: 'role',
          description:
            'viewer, operator or admin; or one on some queues, like operator@orders-*; + joins several.',
        },
      ],
      flags: [
        {
          name: 'until',
          kind: 'text',
          metavar: 'DATE',
          description: 'When it ends, as 2027-01-31 or with a time; default: never.',
        },
      ],
      load: () => import('./new.ts'),
    },
  ],
}
