import { errorRegistry } from '@kiroku/protocol'
import { code, table } from './markdown.ts'

/** The page `docs/reference/errors.md`, made from the error registry. */
export const errorsPage = (): string =>
  [
    '# Errors',
    '',
    '<!-- not run: what a failed command prints -->',
    '',
    '```sh',
    'kiroku send mial hello --json; echo "exit $?"',
    '{"error":{"id":"UnknownQueue","message":"no queue \\"mial\\". Did you mean \\"mail\\"?","help":"Create it with …","retryable":false}}',
    'exit 3',
    '```',
    '',
    'Every error has a stable id, which is never renamed or reused. The command line prints it with its message and help;',
    'with `--json`, the last line of a failed command is that object. The HTTP API answers with the same object and the status',
    'below, and the client throws a `KirokuError` with `id`, `message`, `help`, `retryable` and, where it pays to wait, `retryAfterMs`.',
    '',
    'Where *retry* says yes, the same request can succeed later as it is; the client and the command line repeat it by themselves',
    'as long as the time you gave them allows.',
    '',
    ...table(
      ['id', 'exit code', 'HTTP status', 'retry', 'what to do'],
      Object.entries(errorRegistry)
        .sort(([x], [y]) => (x < y ? -1 : 1))
        .map(([id, entry]) => [
          code(id),
          String(entry.exit),
          String(entry.http),
          entry.retryable ? 'yes' : '',
          entry.help,
        ]),
    ),
    '',
    'Exit codes: 2 bad input, 3 not found, 4 conflict, 5 unavailable, 6 storage, 7 damage, 8 permission.',
    '',
    'This page is made from `libs/protocol/src/error/KirokuError.ts`; change it there.',
    '',
  ].join('\n')
