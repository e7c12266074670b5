import type { ArgumentSpec, CommandSpec, FlagSpec } from '../cli/CommandSpec.ts'
import { natsSettings } from '../cli/sharedFlags.ts'
import { tree } from '../cli/tree.ts'
import { settingsTable, type Setting } from '../config/settings.ts'
import { code, table } from './markdown.ts'

/** The page `docs/reference/cli.md`, made from the command tree. */
export const commandsPage = (): string =>
  [
    '# Command line',
    '',
    '```sh',
    'kiroku --help',
    '```',
    '',
    'Every command has `--help`, and `--json` for programs: then its last line is the answer, or the error. Exit codes and',
    'errors have [their own page](errors.md).',
    '',
    'Commands find the engine of the folder that they run in. These flags choose another one, and every command that talks to an',
    'engine has them:',
    '',
    ...table(['flag', 'environment', 'what it does'], natsSettings.map(settingOf).map(connection)),
    '',
    '## Commands',
    '',
    ...table(
      ['command', 'what it does'],
      commands(tree, '').map(({ path, spec }) => [`[${path}](#${anchor(path)})`, spec.summary]),
    ),
    '',
    ...commands(tree, '').flatMap(({ path, spec }) => command(path, spec)),
    'This page is made from `apps/kiroku/src/cli/tree.ts`; change it there.',
    '',
  ].join('\n')

interface Named {
  readonly path: string
  readonly spec: CommandSpec
}

/** The commands that can be run, in the order of the help. */
const commands = (spec: CommandSpec, parent: string): Named[] => {
  const path = `${parent} ${spec.name}`.trim()
  const own = spec.load === undefined ? [] : [{ path, spec }]
  return [...own, ...(spec.subcommands ?? []).flatMap((each) => commands(each, path))]
}

const anchor = (path: string): string => path.replaceAll(' ', '-')

const command = (path: string, { summary, description, examples, ...spec }: CommandSpec): string[] => {
  const own = (spec.settings ?? []).filter((key) => !natsSettings.includes(key)).map(settingOf)
  const flags = [
    ...(spec.flags ?? []).map((flag) => [code(flagText(flag)), flag.description]),
    ...own.map((row) => [code(`--${row.flag}`), row.description]),
  ]
  return [
    `### ${path}`,
    '',
    code(usage(path, spec.arguments ?? [], flags.length > 0)),
    '',
    description ?? summary,
    '',
    ...(spec.arguments === undefined
      ? []
      : [...table(['argument', 'what it is'], spec.arguments.map(argument)), '']),
    ...(flags.length === 0 ? [] : [...table(['flag', 'what it does'], flags), '']),
    ...(examples === undefined
      ? []
      : [
          ...table(
            ['example', 'what it does'],
            examples.map((each) => [code(each.command), each.description]),
          ),
          '',
        ]),
  ]
}

const usage = (path: string, args: readonly ArgumentSpec[], hasFlags: boolean): string =>
  [path, ...args.map(argumentText), ...(hasFlags ? ['[flags]'] : [])].join(' ')

const argumentText = ({ name, optional }: ArgumentSpec): string =>
  optional === true ? `[${name}]` : `<${name}>`

const argument = (spec: ArgumentSpec): string[] => [code(spec.name), spec.description]

const flagText = ({ name, alias, kind, metavar, choices }: FlagSpec): string => {
  const value =
    kind === 'boolean' ? '' : ` ${metavar ?? choices?.join('|') ?? (kind === 'int' ? 'N' : 'TEXT')}`
  return `${alias === undefined ? '' : `-${alias}, `}--${name}${value}`
}

const connection = ({ flag, env, description }: Setting): string[] => [
  code(`--${flag}`),
  code(env),
  description,
]

const settingOf = (key: string): Setting =>
  (settingsTable as readonly Setting[]).find((row) => row.key === key)!
