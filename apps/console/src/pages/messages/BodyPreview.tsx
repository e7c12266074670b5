import { useQuery } from '@tanstack/react-query'
import { bodyQuery } from '../../data/MessageBody.ts'

/** Characters that a line has room for, and more. */
const shownMax = 200

/** The beginning of a message's body, in a line; or why it is not shown. */
export const BodyPreview = ({ id }: { readonly id: string }) => {
  const { data, error } = useQuery(bodyQuery(id))
  if (error !== null) return <span className="quiet">{error.message}</span>
  if (data === undefined) return <span className="quiet">…</span>
  const { payload, unreadable, hidden } = data
  if (unreadable !== undefined) return <span className="quiet">{unreadable}</span>
  if (hidden === true) return <span className="quiet">hidden</span>
  if (payload.isBase64) return <span className="quiet">{payload.bytes} bytes</span>
  return <code>{payload.text.slice(0, shownMax).replace(/\s+/g, ' ')}</code>
}
