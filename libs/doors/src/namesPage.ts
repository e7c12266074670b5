import type { Client } from '@kiroku/client'
import type { NamesPage } from '@kiroku/protocol'

/** What a caller asks for. */
interface Asked extends NamesPage {
  /** Leaves out partitions that are closed because their log is damaged, which is an error otherwise. */
  readonly skipsClosed?: boolean
}

/** A page of the names of queues that a caller may know of, and whether there are more. Errors: those of the client. */
export const namesPage = async (
  { queues }: Pick<Client, 'queues'>,
  sees: (queue: string) => boolean,
  { skipsClosed = false, ...which }: Asked,
): Promise<{ readonly names: readonly string[]; readonly isMore: boolean }> => {
  const { max } = which
  const found: string[] = []
  let after = which.after ?? ''
  // One more than is told says whether there is another page.
  for (let isMore = true; isMore && found.length <= max;) {
    const names = await queues.names({ ...which, after, max: max + 1 }, { skipsClosed })
    isMore = names.length > max
    after = names.at(-1) ?? after
    found.push(...names.filter(sees))
  }
  return { names: found.slice(0, max), isMore: found.length > max }
}
