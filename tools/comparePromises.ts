/** The ids of all promises, in the order of the list. */
export const promisesIn = (markdown: string): ReadonlyArray<string> =>
  [...markdown.matchAll(/^\|\s*([A-Z]+-\d+)\s*\|/gm)].map((match) => match[1] ?? '')

interface Test {
  readonly fullName: string
  readonly status: string
}

/**
 * Divides the promises into those that the specs keep, those they do not, and those whose specs were all
 * skipped, for lack of a tool; an id may be in any title.
 */
export const comparePromises = (promises: ReadonlyArray<string>, tests: ReadonlyArray<Test>) => {
  const passed = new Set<string>()
  const failed = new Set<string>()
  const skipped = new Set<string>()
  for (const { fullName, status } of tests)
    for (const [, id = ''] of fullName.matchAll(/\[([A-Z]+-\d+)\]/g))
      (status === 'passed' ? passed : status === 'failed' ? failed : skipped).add(id)
  const isKept = (id: string): boolean => passed.has(id) && !failed.has(id)
  const isLeftOut = (id: string): boolean => skipped.has(id) && !passed.has(id) && !failed.has(id)
  return {
    kept: promises.filter(isKept),
    missing: promises.filter((id) => !isKept(id) && !isLeftOut(id)),
    leftOut: promises.filter(isLeftOut),
    unknown: [...new Set([...passed, ...failed])].filter((id) => !promises.includes(id)),
  }
}
