import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { get } from '../data/api.ts'
import { useQueueNames } from '../data/useQueueNames.ts'
import { useAnnounce } from '../shell/Announcer.tsx'
import { CommandDialog } from '../parts/CommandDialog.tsx'
import { bytes as sizeText, count } from '../parts/format.ts'
import { blankForm, sendRequest, type SendDraft, type SendForm } from './sendRequest.ts'
import styles from './SendDialog.module.css'

interface KnownQueue {
  readonly config: { readonly groups: string }
}

type Sent = { readonly messageId: string } | { readonly messageIds: readonly string[] }

/** Writes a message and sends it. */
export const SendDialog = ({
  draft,
  onClose,
}: {
  readonly draft: SendDraft
  readonly onClose: () => void
}) => {
  const [form, setForm] = useState<SendForm>({ ...blankForm, ...draft })
  const announce = useAnnounce()
  const names = useQueueNames()
  const { data: queue } = useQuery({
    queryKey: ['queue sent to', form.queue],
    queryFn: ({ signal }) =>
      get<KnownQueue>(`/v1/queues/${encodeURIComponent(form.queue)}`, undefined, signal),
    enabled: names.includes(form.queue),
  })
  const hasGroups = queue !== undefined && queue.config.groups !== 'none'
  const set = (changes: Partial<SendForm>): void => setForm({ ...form, ...changes })
  const { path, body, contentType, copies, problem } = sendRequest(form)
  const isBlank = form.body === '' && form.bytes === undefined
  const field = (key: keyof SendForm, label: string, says: string) => (
    <TextField label={label} says={says} value={form[key] ?? ''} onChange={(text) => set({ [key]: text })} />
  )
  return (
    <CommandDialog<Sent>
      title={
        draft.body === undefined && draft.bytes === undefined
          ? 'Send a message'
          : 'Send again as a new message'
      }
      action={copies > 1 ? `Send ${count(copies)} messages` : 'Send'}
      isAct={false}
      isReady={problem === undefined}
      command={() => ({ method: 'POST', path, body })}
      onDone={(sent) =>
        'messageId' in sent
          ? announce(`Sent to ${form.queue}.`, { text: 'Open the message', messageId: sent.messageId })
          : announce(`${count(sent.messageIds.length)} messages sent to ${form.queue}.`)
      }
      onClose={onClose}
    >
      <QueueField
        names={names}
        value={form.queue}
        begins={draft.queue === undefined}
        onChange={(queue) => set({ queue })}
      />
      {form.bytes === undefined ? (
        <label className={styles['label']}>
          Body
          <textarea
            className={`field ${styles['body']}`}
            data-begins={draft.queue !== undefined}
            spellCheck={false}
            rows={7}
            placeholder={'{"to": "anna@example.org"}'}
            value={form.body}
            onChange={(event) => set({ body: event.target.value })}
          />
        </label>
      ) : (
        <p>{sizeText(Math.floor((form.bytes.length * 3) / 4))} that are not text: sent unchanged.</p>
      )}
      <p
        className={problem !== undefined && !isBlank ? styles['problem'] : 'quiet'}
        role="status"
        data-type={contentType}
      >
        {problem !== undefined && !isBlank
          ? problem
          : isBlank
            ? 'JSON or text. An empty body is possible.'
            : `Sent as ${contentType}. Ctrl Enter sends it.`}
      </p>
      {hasGroups && field('group', 'Group', 'In order in an ordered queue; a fair share in a fair one.')}
      <details open={hasMore(form)}>
        <summary className={styles['more']}>Content type, delay, tag, attributes, copies</summary>
        <div className={styles['fields']}>
          {field('contentType', 'Content type', 'Empty: what the body looks like.')}
          {field('delay', 'Delay', 'Like 30s, 5m or 2h. Empty: none.')}
          {field('tag', 'Tag', 'What subscriptions filter by.')}
          {field('dedupId', 'Deduplication id', 'By what a deduplicating queue recognizes a repeat.')}
          {field('copies', 'Copies', 'How many copies to send.')}
        </div>
        <label className={styles['label']}>
          Attributes
          <textarea
            className={`field ${styles['body']}`}
            spellCheck={false}
            rows={2}
            placeholder="tenant=acme"
            value={form.attributes}
            onChange={(event) => set({ attributes: event.target.value })}
          />
        </label>
      </details>
    </CommandDialog>
  )
}

/** Whether one of the collapsed fields is set. */
const hasMore = ({ tag, attributes, delay, dedupId }: SendForm): boolean =>
  [tag, attributes, delay, dedupId].some((text) => text !== '')

const QueueField = ({
  names,
  value,
  begins,
  onChange,
}: {
  readonly names: readonly string[]
  readonly value: string
  readonly begins: boolean
  readonly onChange: (queue: string) => void
}) => {
  const id = useId()
  return (
    <label className={styles['label']}>
      Queue
      <input
        className="field"
        list={id}
        data-begins={begins}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  )
}

const TextField = ({
  label,
  says,
  value,
  onChange,
}: {
  readonly label: string
  readonly says: string
  readonly value: string
  readonly onChange: (text: string) => void
}) => {
  const id = useId()
  return (
    <div className={styles['label']}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="field"
        autoComplete="off"
        value={value}
        aria-describedby={`${id}-says`}
        onChange={(event) => onChange(event.target.value)}
      />
      <span id={`${id}-says`} className="quiet">
        {says}
      </span>
    </div>
  )
}
