import { readdirSync, readFileSync } from 'node:fs'
import {
  actionParity,
  actions,
  attributeNames,
  attributeParity,
  errorKinds,
  errorParity,
  errorsNotHere,
  errorsUnshown,
  systemAttributeNames,
  systemAttributeParity,
  type Parity,
} from '@kiroku/gateway-sqs/reference'
import { code, table } from './markdown.ts'

const folder = new URL('../../../../specs/sqs/', import.meta.url)

/** Which specs are looked through first, so that a new one changes no link to those. */
const firstSpecs = [
  'aws-sdk',
  'SQS-14.validated-errors',
  'SQS-17.notes-and-tags',
  'SQS-18.move-tasks',
  'SQS-19.policies',
  'message-attributes',
  'pauses',
  'signatures',
  'surface',
  'wire',
].map((name) => `${name}.spec.ts`)

/** The one that shows what the door has beyond Amazon SQS. */
const extensionsSpec = 'extensions.spec.ts'

/** The text of each spec of this door, by its file. */
const readSpecs = (): ReadonlyMap<string, string> => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.spec.ts'))
  const others = files.filter((file) => !firstSpecs.includes(file)).sort()
  return new Map(
    [...firstSpecs, ...others].map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]),
  )
}

/** The page `docs/reference/sqs.md`, made from the table of actions of the door for Amazon SQS. Errors: what no spec shows. */
export const sqsPage = (): string => {
  const specs = readSpecs()
  const has = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text)
  const asks = (text: string, action: string): boolean =>
    text.includes(`${action}Command`) || text.includes(`'${action}'`) || text.includes(`Action=${action}`)
  const shown = (what: string, shows: (text: string) => boolean, parity?: Parity): string => {
    const extended = parity?.is === 'extension' && shows(specs.get(extensionsSpec)!)
    const file = extended ? extensionsSpec : [...specs].find(([, text]) => shows(text))?.[0]
    if (file === undefined) throw new Error(`no spec of specs/sqs shows ${what}`)
    return `[${file.replace('.spec.ts', '')}](../../specs/sqs/${file})`
  }
  const row = (name: string, parity: Parity | undefined, by: string): string[] => [
    name,
    parity?.is ?? 'as AWS',
    parity?.says ?? '',
    by,
  ]
  const rows = (
    names: readonly string[],
    parity: Readonly<Record<string, Parity>>,
    isShown: (name: string) => boolean = () => true,
  ): string[][] =>
    [...new Set(names)]
      .sort()
      .map((name) =>
        row(
          code(name),
          parity[name],
          isShown(name) ? shown(name, (text) => has(text, name), parity[name]) : '',
        ),
      )
  const notHere = (parity: Readonly<Record<string, Parity>>, here: readonly string[]): string[][] =>
    Object.entries(parity)
      .filter(([name, { is }]) => is === 'not here' && !here.includes(name))
      .map(([name, each]) => row(code(name), each, ''))
  const head = (what: string): string[] => [what, 'here', '', 'shown by']
  const errors = Object.keys(errorKinds) as (keyof typeof errorKinds)[]
  return [
    '# Actions, attributes and errors of Amazon SQS',
    '',
    '<!-- not run: it needs a queue of this name -->',
    '',
    '```sh',
    "curl -s 'http://127.0.0.1:9324/?Action=GetQueueUrl&QueueName=mail'",
    '```',
    '',
    'What clients of Amazon SQS find at [this door](../sqs.md). _Stricter_: something that AWS takes is refused; _looser_: something that AWS refuses',
    'or does is not; _extension_: more than AWS has; _not here_: it is missing. The last column names a spec that goes through it.',
    '',
    '## Actions',
    '',
    'Each with what it is asked and what it answers (→).',
    '',
    ...Object.entries(actions).flatMap(([action, { input, output }]) => [
      `### ${action}`,
      '',
      ...table(head('what'), [
        row(
          `**${action}**`,
          actionParity[action],
          shown(action, (text) => asks(text, action)),
        ),
        ...[...Object.keys(input), ...Object.keys(output).map((name) => `→ ${name}`)].map((label) => {
          const name = label.replace('→ ', '')
          const parity = actionParity[`${action}.${name}`]
          return row(
            label === name ? code(name) : `→ ${code(name)}`,
            parity,
            shown(`${action}.${name}`, (text) => asks(text, action) && has(text, name), parity),
          )
        }),
      ]),
      '',
    ]),
    '## Attributes of a queue',
    '',
    ...table(head('attribute'), [
      ...rows(attributeNames, attributeParity),
      ...notHere(attributeParity, attributeNames),
    ]),
    '',
    '## System attributes of a message',
    '',
    ...table(head('attribute'), [
      ...rows(systemAttributeNames, systemAttributeParity),
      ...notHere(systemAttributeParity, systemAttributeNames),
    ]),
    '',
    '## Errors',
    '',
    'By their names in the JSON protocol; codes of the Query protocol and statuses are those of the service model.',
    '',
    ...table(
      ['error', 'code', 'status', 'here', '', 'shown by'],
      [
        ...errors.sort().map((name) => {
          const { code: own, status } = errorKinds[name]
          const parity: Parity | undefined = errorParity[name]
          const by = errorsUnshown.has(name) ? '' : shown(name, (text) => new RegExp(`\\b${name}`).test(text))
          return [code(name), code(own), String(status), parity?.is ?? 'as AWS', parity?.says ?? '', by]
        }),
        ...Object.entries(errorsNotHere)
          .filter(([name]) => !Object.hasOwn(errorKinds, name))
          .map(([name, says]) => [code(name), '', '', 'not here', says, '']),
      ],
    ),
    '',
    'This page is made from `libs/gateway-sqs/src/actions` and `libs/gateway-sqs/src/parity.ts`; change it there.',
    '',
  ].join('\n')
}
