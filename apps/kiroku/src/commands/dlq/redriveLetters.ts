import { LetterSelector, parseFilter, type LetterSelection } from '@kiroku/audit'
import type { Client, RedriveOptions } from '@kiroku/client'
import {
  type Actor,
  errorRegistry,
  KirokuError,
  limits,
  type Ranges,
  type RedriveDescription,
} from '@kiroku/protocol'
import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import { canAsk, confirm } from '../../cli/confirm.ts'
import { localActor } from '../../serve/localActor.ts'
import { withClient } from '../../serve/withClient.ts'
import { describeEligible, eligibleOf, type Eligible } from './describeEligible.ts'
import { describeRedrive } from './describeRedrive.ts'
import { followRedrive } from './followRedrive.ts'
import { readLetters } from './readLetters.ts'
import { redriveOptionsOf } from './redriveOptions.ts'

/** `dlq redrive`. */
export const redrive: CommandModule = {
  run: async (invocation) => {
    const { out, flag, text } = invocation
    const queue = invocation.argument('queue')!
    const { filter, dryRun: _, ...options } = redriveOptionsOf(invocation, Date.now())
    const selections = await selectionsOf(invocation, queue, selectorOf(invocation, filter))
    await withClient(invocation, async (client) => {
      const eligible = await count(client, queue, selections, options)
      for (const line of describeEligible(eligible)) out.line(line)
      if (flag('dry-run') || eligible.eligible === 0) return out.result(eligible)
      await assent(invocation, queue, eligible)
      const by = localActor(text('reason'))
      const redrives = await move(invocation, client, queue, selections, options, by)
      out.result({ ...eligible, redrives })
      if (redrives.some(({ state }) => state === 'failed')) process.exitCode = errorRegistry.UnknownQueue.exit
    })
  },
}

const selectorOf = ({ text }: Invocation, filter: RedriveOptions['filter']): LetterSelection | undefined => {
  const group = text('group')
  const messages = text('message')
  const where = text('where')
  if ([group, messages, where, filter].every((each) => each === undefined)) return undefined
  return {
    ...(group === undefined ? {} : { group }),
    ...(messages === undefined ? {} : { messages: messages.split(',').map((id) => id.trim()) }),
    ...(where === undefined ? {} : { where: parseFilter(where, Date.now()) }),
    ...(filter === undefined ? {} : { filter }),
  }
}

/** The selection of each redrive; one without a selection considers everything. Errors: `UnknownMessage`. */
const selectionsOf = async (
  invocation: Invocation,
  queue: string,
  selector: LetterSelection | undefined,
): Promise<readonly (Ranges | undefined)[]> => {
  if (selector === undefined) return [undefined]
  const picked = new LetterSelector(queue, selector)
  await readLetters(invocation, queue, (letter) => picked.accept(letter))
  return picked.parts(limits.redriveRangesMax)
}

const count = async (
  client: Client,
  queue: string,
  selections: readonly (Ranges | undefined)[],
  options: RedriveOptions,
): Promise<Eligible> => {
  const runs: RedriveDescription[] = []
  for (const selection of selections)
    runs.push(
      await client.queues.redrive(queue, {
        ...options,
        ...(selection === undefined ? {} : { selection }),
        dryRun: true,
      }),
    )
  return eligibleOf(queue, runs)
}

/** Errors: `InvalidArgument` without a terminal to ask, `Stopped` if the answer is no. */
const assent = async (
  { flag, text, signal }: Invocation,
  queue: string,
  eligible: Eligible,
): Promise<void> => {
  if (flag('yes')) return
  if (!canAsk())
    throw new KirokuError('InvalidArgument', 'not a terminal: pass --yes to redrive, or --dry-run')
  const to = text('to') ?? 'where they came from'
  if (!(await confirm(`Move ${eligible.eligible} messages of ${queue} to ${to}?`, signal)))
    throw new KirokuError('Stopped', 'nothing was moved')
}

/** One redrive after the other, each followed to its end. */
const move = async (
  invocation: Invocation,
  client: Client,
  queue: string,
  selections: readonly (Ranges | undefined)[],
  options: RedriveOptions,
  by: Actor,
): Promise<RedriveDescription[]> => {
  const { out, signal } = invocation
  const redrives: RedriveDescription[] = []
  let left = options.messagesMax ?? Infinity
  for (const selection of selections) {
    if (left <= 0) break
    const begun = await client.queues.redrive(
      queue,
      {
        ...options,
        ...(Number.isFinite(left) ? { messagesMax: left } : {}),
        ...(selection === undefined ? {} : { selection }),
      },
      by,
    )
    let redriven = await followRedrive(client, begun, signal)
    if (redriven.state === 'running') redriven = await offerCancel(client, redriven, by)
    out.line(describeRedrive(redriven))
    redrives.push(redriven)
    left -= redriven.moved
    if (redriven.state !== 'completed') break
  }
  return redrives
}

/** After Ctrl-C: the redrive continues in the engine, unless it is cancelled. */
const offerCancel = async (
  client: Client,
  redriven: RedriveDescription,
  by: Actor,
): Promise<RedriveDescription> => {
  const { queue, task, subscription } = redriven
  const isOver = canAsk() && (await confirm(`\n${redriven.moved} were moved. Cancel the rest?`))
  if (isOver) return client.queues.cancelRedrive(queue, { task, subscription }, by)
  process.stderr.write(
    `it continues; \`kiroku redrive status ${queue}\` shows its progress, \`kiroku redrive cancel ${queue}\` ends it\n`,
  )
  return redriven
}
