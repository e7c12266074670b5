/** The ids of all promises, in the order of the list. */
export const promisesIn = (markdown: string): ReadonlyArray<string> =>
  [...markdown.matchAll(/^\|\s*([A-Z]+-\d+)\s*\|/gm)].map((match) => match[1] ?? '')

interface Test {
  readonly fullName: string
  readonly status: string
}

/** Divides the promises into those that the specs keep and those they do not; an id may stand in any title. */
export const comparePromises = (promises: ReadonlyArray<string>, tests: ReadonlyArray<Test>) => {
  const passed = new Set<string>()
  const failed = new Set<string>()
  for (const { fullName, status } of tests)
    for (const [, id = ''] of fullName.matchAll(/\[([A-Z]+-\d+)\]/g))
      if (status === 'passed') passed.add(id)
      else if (status === 'failed') failed.add(id)
  const isKept = (id: string): boolean => passed.has(id) && !failed.has(id)
  return {
    kept: promises.filter(isKept),
    missing: promises.filter((id) => !isKept(id)),
    unknown: [...new Set([...passed, ...failed])].filter((id) => !promises.includes(id)),
  }
}
