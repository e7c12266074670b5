import { attributeRows, bodyRows } from '@kiroku/doors'
import { table } from './markdown.ts'

const overHttp = { text: '`body`, the text', value: '`body`, the value', base64: '`bodyBase64`' }
const overSqs = { text: '`Body`, as sent', base64: '`Body` in base64, marked by `kiroku.encoding`' }

/** The page `docs/reference/bodies.md`, made from the table that doors go by. */
export const bodiesPage = (): string =>
  [
    '# Bodies between doors',
    '',
    'This page is made from `libs/doors/src/bodies.ts`; change it there.',
    '',
    'Whatever a program sends, through whatever door, every other door can hand out. A body is kept byte by byte, and its content type says',
    'what it is: the client and the HTTP API set `text/plain` for text and `application/json` for any other JSON value, `kiroku send` and',
    'Workers what they are given, and the door for SQS `text/plain`. Half of a surrogate pair becomes U+FFFD when a text is sent.',
    '',
    ...table(
      [
        'what was sent',
        '[client](../client.md)',
        '[Worker](../workers.md)',
        'HTTP API, `receive --json`',
        '[SQS](../sqs.md)',
      ],
      Object.values(bodyRows).map((row) => [
        row.what,
        row.client,
        row.worker,
        overHttp[row.http],
        overSqs[row.sqs],
      ]),
    ),
    '',
    'A body that is not the JSON that its content type promises, or takes too much to parse, is text in the HTTP API. Asked for its value,',
    'a client and a Worker fail. At the door for SQS a body in base64 comes with its content type as `kiroku.contentType`, whether or not',
    'these attributes were asked for.',
    '',
    '## Attributes',
    '',
    ...table(
      ['what was sent', 'client, HTTP API, `receive --json`', 'SQS'],
      Object.values(attributeRows).map((row) => [row.what, row.others, row.sqs]),
    ),
    '',
    'Where SQS has only text, as in names of attributes, groups and trace headers, U+FFFD stands for what XML cannot hold. An attribute called',
    'binary that is no base64, or of a type that SQS does not know, is a `String` there. Clients of SQS see no tags, and Workers no attributes.',
    '',
  ].join('\n')
