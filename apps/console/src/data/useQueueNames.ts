import { useQuery, type QueryFunctionContext } from '@tanstack/react-query'
import { get } from './api.ts'

interface Page {
  readonly names: readonly string[]
  /** Whether there are names behind the last of these. */
  readonly isMore: boolean
}

const none: readonly string[] = []

/** Names of the queues that there are now, in order; none until they are read. */
export const useQueueNames = (): readonly string[] =>
  useQuery({ queryKey: ['queue names'], queryFn: readNames }).data ?? none

const readNames = async ({ signal }: QueryFunctionContext): Promise<readonly string[]> => {
  const all: string[] = []
  for (let isMore = true; isMore;) {
    const page: Page = await get('/v1/queue-names', { after: all.at(-1) }, signal)
    all.push(...page.names)
    isMore = page.isMore
  }
  return all
}
