import { useQuery } from '@tanstack/react-query'
import { get } from '../../data/api.ts'
import type { MessageBody } from '@kiroku/api/answers'

/** The body of a message, or its beginning where it is large; a hidden one stays hidden. */
export const useMessageBody = (id: string) =>
  useQuery({
    queryKey: ['body', id, false],
    queryFn: ({ signal }) =>
      get<MessageBody>(`/v1/messages/${encodeURIComponent(id)}/body`, undefined, signal),
  })
