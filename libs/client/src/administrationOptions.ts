import { checkOptions, type NamesPage, type OptionRules, type RedriveFilter, rule } from '@kiroku/protocol'
import type {
  BodyEdit,
  DiscardedMessages,
  EraseOptions,
  GroupsOptions,
  PauseOptions,
  RedriveOptions,
} from './Queues.ts'
import type { ApplyOptions } from './QueueSettings.ts'

/** Refuses a mistake in the options of an administrative call; what rules leave open the partition checks. Errors: `InvalidArgument`. */
export const checkAdministration = <Call extends keyof typeof rules>(
  call: Call,
  options: CallOptions[Call],
): void => checkOptions(call, options, rules[call] as OptionRules<CallOptions[Call]>)

/** The options of a call. */
interface CallOptions {
  readonly create: PauseOptions
  readonly apply: ApplyOptions
  readonly delete: { readonly force?: boolean }
  readonly purge: PauseOptions
  readonly erase: EraseOptions
  readonly redrive: RedriveOptions
  readonly cancelRedrive: { readonly subscription?: string; readonly task?: number }
  readonly discard: DiscardedMessages
  readonly editBody: BodyEdit
  readonly describe: { readonly lossWarnings?: boolean }
  readonly groups: GroupsOptions
  readonly names: NamesPage
  readonly list: object
}

const filter: OptionRules<RedriveFilter> = {
  tag: rule.any,
  cause: rule.any,
  error: rule.any,
  attributes: rule.any,
  enqueuedAfter: rule.any,
  enqueuedBefore: rule.any,
}

const rules: { readonly [Call in keyof CallOptions]: OptionRules<CallOptions[Call]> } = {
  create: { pauseMs: rule.milliseconds },
  apply: {
    source: rule.text,
    newQueue: rule.any,
    dryRun: rule.flag,
    by: rule.any,
  },
  delete: { force: rule.flag },
  purge: { pauseMs: rule.milliseconds },
  erase: { messageId: rule.text, group: rule.text, reason: rule.text },
  redrive: {
    to: rule.text,
    subscription: rule.text,
    filter: (value) => {
      checkOptions('The filter of a redrive', value as RedriveFilter, filter)
      return undefined
    },
    selection: rule.any,
    rateMax: rule.wholeFrom(1),
    messagesMax: rule.wholeFrom(1),
    dryRun: rule.flag,
  },
  cancelRedrive: { subscription: rule.text, task: rule.wholeFrom(1) },
  discard: { partition: rule.wholeFrom(0), subscription: rule.text, state: rule.any, numbers: rule.any },
  editBody: { number: rule.wholeFrom(1), messageId: rule.text, body: rule.any, contentType: rule.text },
  describe: { lossWarnings: rule.flag },
  groups: { subscription: rule.text, max: rule.any },
  names: { max: rule.wholeFrom(1), prefix: rule.text, after: rule.text, deadLetter: rule.text },
  list: {},
}
