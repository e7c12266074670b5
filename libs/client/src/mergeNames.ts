import type { Answers, NamesPage } from '@kiroku/protocol'

/** One page of names from those of all partitions; one whose version knows no pages has answered with its queues. */
export const mergeNames = (
  lists: readonly Answers['ListQueues'][],
  { max, prefix = '', after = '', deadLetter }: NamesPage,
): readonly string[] =>
  lists
    .flatMap(
      ({ names, queues }) =>
        names ??
        queues
          .filter(({ home, config }) => home === undefined && isNamed(config.deadLetter, deadLetter))
          .map(({ name }) => name)
          .filter((name) => name > after && name.startsWith(prefix)),
    )
    .toSorted((a, b) => (a < b ? -1 : 1))
    .slice(0, max)

const isNamed = (target: { readonly name: string } | null, name: string | undefined): boolean =>
  name === undefined || target?.name === name
