/** Items of one list that are sent at once. */
const itemsAtOnce = 500

/** Items of a list in an answer that follows; `list` is its name there, or absent where the answer is the list. */
export interface AnswerPart {
  readonly list?: string
  readonly items: readonly unknown[]
}

/**
 * Splits an answer into its long lists, in parts, and the rest. A message is read in one go, and answers are read by the engine's
 * thread, which ten thousand queues in a single message would hold up for a tenth of a second.
 */
export const splitAnswer = (
  answer: unknown,
): { readonly parts: readonly AnswerPart[]; readonly rest: unknown } => {
  if (isLong(answer)) return { parts: slices(answer), rest: [] }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer) || ArrayBuffer.isView(answer))
    return { parts: [], rest: answer }
  const rest: Record<string, unknown> = { ...answer }
  const parts: AnswerPart[] = []
  for (const [list, items] of Object.entries(answer)) {
    if (!isLong(items)) continue
    parts.push(...slices(items, list))
    rest[list] = []
  }
  return { parts, rest: parts.length === 0 ? answer : rest }
}

/** Puts an answer together again, by filling the lists of `rest`. */
export const joinAnswer = (parts: readonly AnswerPart[], rest: unknown): unknown => {
  for (const { list, items } of parts) {
    const into = (list === undefined ? rest : (rest as Record<string, unknown>)[list]) as unknown[]
    for (const item of items) into.push(item)
  }
  return rest
}

const isLong = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > itemsAtOnce

const slices = (items: readonly unknown[], list?: string): AnswerPart[] =>
  Array.from({ length: Math.ceil(items.length / itemsAtOnce) }, (_, i) => ({
    ...(list === undefined ? {} : { list }),
    items: items.slice(i * itemsAtOnce, (i + 1) * itemsAtOnce),
  }))
