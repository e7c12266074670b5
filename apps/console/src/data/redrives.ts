import type { RedriveRequest } from '@kiroku/api/answers'
import type { RedriveDescription } from '@kiroku/protocol'
import { useQuery } from '@tanstack/react-query'
import { send, get, type Command } from './api.ts'
import { useInterval } from './useFeed.ts'

const pathOf = (queue: string): string => `/v1/queues/${encodeURIComponent(queue)}/redrives`

/** The command that begins a redrive. */
export const redriveCommand = (queue: string, request: RedriveRequest): Omit<Command, 'reason'> => ({
  method: 'POST',
  path: pathOf(queue),
  body: request,
})

/** The command that ends one; what was moved stays moved. */
export const cancelCommand = ({
  queue,
  task,
  subscription,
}: Pick<RedriveDescription, 'queue' | 'task' | 'subscription'>): Omit<Command, 'reason'> => ({
  method: 'POST',
  path: `${pathOf(queue)}/cancel`,
  body: { task, subscription },
})

/** What a redrive would do now, without doing it. */
export const useDryRun = (queue: string, request: RedriveRequest | undefined) =>
  useQuery({
    queryKey: ['dry run', queue, request],
    enabled: request !== undefined,
    queryFn: () =>
      send<RedriveDescription>({ method: 'POST', path: pathOf(queue), body: { ...request, dryRun: true } }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

const runningMs = 1_000
const restingMs = 10_000

/** The redrives of a queue, newest first: running ones and the last that ended. */
export const useRedrives = (queue: string, isPast: boolean) => {
  const [running, resting] = [useInterval(runningMs), useInterval(restingMs)]
  return useQuery({
    queryKey: ['redrives', queue],
    enabled: !isPast,
    queryFn: async ({ signal }) =>
      (
        await get<{ readonly redrives: readonly RedriveDescription[] }>(pathOf(queue), undefined, signal)
      ).redrives // Dry runs are remembered too.
        .filter(({ dryRun }) => !dryRun),
    refetchInterval: ({ state }) =>
      state.data?.some((redrive) => redrive.state === 'running') === true ? running : resting,
  })
}
