import type { MessageBody } from '@kiroku/api/answers'
import { Dialog } from '../../parts/Dialog.tsx'
import { EditBody } from '../../parts/EditBody.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { useMessageBody } from './useMessageBody.ts'

/** Corrects the body of a dead letter, or says why that cannot be done here. */
export const EditLetter = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const { data, error, refetch } = useMessageBody(id)
  const why = data === undefined ? undefined : notEditable(data)
  if (data !== undefined && why === undefined)
    return <EditBody id={id} text={data.payload.text} onClose={onClose} />
  return (
    <Dialog title={`Edit the body of ${id}`} onClose={onClose}>
      {error === null ? <p>{why ?? 'Loading…'}</p> : <Problem error={error} retry={() => void refetch()} />}
    </Dialog>
  )
}

const notEditable = ({ payload, unreadable, hidden }: MessageBody): string | undefined => {
  if (unreadable !== undefined)
    return `There is no body to edit: ${unreadable === 'erased' ? 'its key was erased' : 'it is no longer on record'}.`
  if (hidden === true) return 'Its body is hidden: reveal it on the page of the message first.'
  if (payload.isBase64) return 'It is not text. `kiroku dlq edit --body FILE` takes any bytes.'
  if (payload.isCut) return 'It is too large to edit here. `kiroku dlq edit --body FILE` takes it whole.'
  return undefined
}
