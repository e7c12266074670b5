import { useQuery } from '@tanstack/react-query'
import { get } from '../../data/api.ts'
import { count } from '../../parts/format.ts'
import { Time } from '../../parts/When.tsx'
import type { Reached } from './FoundMessage.ts'
import { recordsBehind } from './searchText.ts'

interface Span {
  readonly partitions: readonly { readonly partition: number; readonly lastSeq: number }[]
}

/** Up to where the index knew when it answered. */
export const IndexNote = ({ reached }: { readonly reached: readonly Reached[] }) => {
  const at = Math.max(0, ...reached.map((each) => each.at))
  const { data } = useQuery({
    queryKey: ['span', 'behind', reached.map(({ seq }) => seq).join()],
    queryFn: ({ signal }) => get<Span>('/v1/span', undefined, signal),
    staleTime: Infinity,
  })
  const behind = data === undefined ? 0 : recordsBehind(reached, data.partitions)
  return (
    <span>
      The index knew up to <Time at={at} form="clock" />
      {behind > 0 && `, ${count(behind)} ${behind === 1 ? 'record' : 'records'} behind the log`}.
    </span>
  )
}
