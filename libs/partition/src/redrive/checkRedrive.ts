import {
  canonical,
  type CommandOf,
  KirokuError,
  limits,
  pushRange,
  type Ranges,
  type RedriveFilter,
} from '@kiroku/protocol'

const texts = ['tag', 'cause', 'error'] as const
const times = ['enqueuedAfter', 'enqueuedBefore'] as const

/** Checks what a redrive is asked for and returns its filter without what is not given. Errors: `InvalidArgument`. */
export const checkRedrive = (c: CommandOf<'StartRedrive'>): RedriveFilter => {
  checkWhole('rateMax', c.rateMax, limits.redriveRateMax)
  checkWhole('messagesMax', c.messagesMax, Number.MAX_SAFE_INTEGER)
  if (c.request === '' || c.request.length > limits.redriveRequestCharactersMax)
    throw invalid(
      `a redrive needs an id of its request, of up to ${limits.redriveRequestCharactersMax} characters`,
    )
  return checkFilter(c.filter ?? {})
}

/**
 * Checks which messages a redrive is told to look at; what touches becomes one range. Only a dry run may look at none:
 * that is what it says then. Errors: `InvalidArgument`.
 */
export const checkSelection = (selection: Ranges, isDryRun: boolean): Ranges => {
  const checked: Ranges = []
  for (let i = 0, next = 1; i < selection.length; i += 2) {
    const first = selection[i]!
    const count = selection[i + 1] ?? 0
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(first + count) || first < next || count < 1)
      throw invalid('a selection names numbers and counts of messages, in their order and none twice')
    next = first + count
    pushRange(checked, first, count)
  }
  if (checked.length === 0 && !isDryRun) throw invalid('the selection is empty')
  if (checked.length > 2 * limits.redriveRangesMax)
    throw invalid(
      `a selection may have ${limits.redriveRangesMax} stretches of messages, not ${checked.length / 2}; redrive it in parts`,
    )
  return checked
}

const checkFilter = (filter: RedriveFilter): RedriveFilter => {
  const checked: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(filter) as [keyof RedriveFilter, unknown][]) {
    if (value === undefined) continue
    if (texts.includes(name as (typeof texts)[number])) {
      if (typeof value !== 'string') throw invalid(`the filter "${name}" must be a text`)
    } else if (times.includes(name as (typeof times)[number])) {
      if (!Number.isFinite(value)) throw invalid(`the filter "${name}" must be a time in ms`)
    } else if (name === 'attributes') {
      const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
      if (!isMap || !Object.values(value).every((v) => typeof v === 'string'))
        throw invalid('the filter "attributes" must name attributes and their values')
    } else throw invalid(`there is no filter "${name}"`)
    checked[name] = canonical(value)
  }
  if (JSON.stringify(checked).length > limits.redriveFilterBytesMax)
    throw invalid(`a filter may have ${limits.redriveFilterBytesMax} characters`)
  return checked
}

const checkWhole = (name: string, value: number | undefined, max: number): void => {
  if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= max))
    throw invalid(`${name} must be a whole number from 1 to ${max}, not ${value}`)
}

const invalid = (message: string): KirokuError => new KirokuError('InvalidArgument', message)
