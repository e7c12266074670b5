import { describe, expect, it } from 'vitest'
import type { CommandSpec } from './CommandSpec.ts'
import { completionScript, runTree, shells, type ParsedCommand } from './Cli.ts'
import { tree } from './tree.ts'

const leavesOf = (spec: CommandSpec, path: readonly string[] = []): [string, CommandSpec][] => [
  ...(spec.load === undefined ? [] : [[path.join(' '), spec] as [string, CommandSpec]]),
  ...(spec.subcommands ?? []).flatMap((sub) => leavesOf(sub, [...path, sub.name])),
]

const leaves = leavesOf(tree)

const parse = async (argv: readonly string[]): Promise<ParsedCommand & { readonly command: string }> => {
  let found: (ParsedCommand & { readonly command: string }) | undefined
  await runTree(tree, '0', argv, (spec, parsed) => {
    found = { command: spec.name, ...parsed }
    return Promise.resolve()
  })
  return found!
}

describe('the command tree', () => {
  it('has every promised command', () => {
    expect(leaves.map(([path]) => path)).toEqual([
      'up',
      'serve',
      'status',
      'open',
      'queue create',
      'queue list',
      'queue show',
      'queue groups',
      'queue batches',
      'queue update',
      'queue note',
      'queue spread',
      'queue delete',
      'queue purge',
      'queue pause',
      'queue resume',
      'subscription create',
      'subscription list',
      'subscription update',
      'subscription reset',
      'subscription delete',
      'subscription pause',
      'subscription resume',
      'apply',
      'send',
      'receive',
      'ack',
      'retry',
      'release',
      'peek',
      'recall',
      'discard',
      'reschedule',
      'erase',
      'work',
      'dlq list',
      'dlq explain',
      'dlq redrive',
      'dlq edit',
      'redrive',
      'redrive status',
      'redrive cancel',
      'trace',
      'replay',
      'search',
      'acts',
      'index status',
      'index rebuild',
      'tail',
      'verify',
      'repair',
      'machine',
      'cluster status',
      'cluster finalize',
      'cluster clock',
      'cluster pin',
      'cluster unpin',
      'cluster nats',
      'door sqs',
      'token new',
      'client add',
      'client list',
      'client remove',
      'doctor',
      'completions',
    ])
  })

  it.each(leaves)('%s has a module that runs it, and says what it does', async (_, spec) => {
    expect(typeof (await spec.load!()).run).toBe('function')
    expect(spec.summary).toMatch(/\.$/)
  })

  it.each(shells)('has a completion script for %s that knows the commands', (shell) => {
    const script = completionScript(tree, shell)
    for (const [path] of leaves) expect(script).toContain(path.split(' ').at(-1))
    expect(script).not.toContain('--completions')
  })
})

describe('a command line', () => {
  it('is parsed into arguments and flags', async () => {
    const parsed = await parse(['send', 'mail', 'hello', '--delay', '5s', '--log', 'other', '--json'])
    expect(parsed.command).toBe('send')
    expect(parsed.arguments).toEqual({ queue: 'mail', body: 'hello' })
    expect(parsed.flags).toMatchObject({
      delay: '5s',
      log: 'other',
      json: true,
      ndjson: false,
      file: undefined,
    })
  })

  it('of a command with subcommands names one of them, or what the command itself is about', async () => {
    expect(await parse(['redrive', 'mail-dlq', '--rate', '5', '--dry-run'])).toMatchObject({
      command: 'redrive',
      arguments: { queue: 'mail-dlq' },
      flags: { rate: 5, 'dry-run': true, follow: false },
    })
    expect(await parse(['redrive', 'status', 'mail-dlq'])).toMatchObject({
      command: 'status',
      arguments: { queue: 'mail-dlq' },
    })
  })

  it.each([[[]], [['--json']]])('without a command (%j) shows the help', async (argv) => {
    expect(await parse(argv)).toBeUndefined()
  })

  it.each([
    [['send', 'mail', '-n'], /Unrecognized flag: -n/],
    [
      ['search', '-state:dlq'],
      /^"-state:dlq" was read as flags because it begins with a hyphen\. Put `--` before it: `kiroku search -- '-state:dlq'`\.$/,
    ],
    [
      ['send', 'mail', 'x', '--dealy', '5s'],
      /^Unrecognized flag: --dealy in command kiroku send\. Did you mean --delay\? `kiroku send --help` shows what fits\.$/,
    ],
    [['queue', 'update', 'mail', '--retriesmax', '3'], /Did you mean --retries\?/],
    [['status', '--at', '5'], /^Unrecognized flag: --at in command kiroku status\. `/],
    [['queue', 'creat', 'mail'], /Did you mean create\?/],
    [['receive', 'mail', '--max', 'many'], /--max|max/],
    [['machine', '--format', 'png'], /mermaid/],
    [['queue'], /the command is missing/],
    [['reschedule'], /./],
    [['trace', 'a', 'b'], /b/],
    [
      ['quue'],
      /^Unknown subcommand "quue" for "kiroku"\. Did you mean queue\? `kiroku --help` shows what fits\.$/,
    ],
  ])('%j does not fit and is InvalidArgument', async (argv, message) => {
    await expect(parse(argv)).rejects.toMatchObject({
      id: 'InvalidArgument',
      message: expect.stringMatching(message) as string,
    })
  })
})
