import type { RedriveDescription } from '@kiroku/protocol'
import { useEffect, useState } from 'react'
import type { KnownQueue } from '../../data/letterQueues.ts'
import { usePageSearch } from '../../data/pageSearch.ts'
import { redriveCommand, useDryRun } from '../../data/redrives.ts'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import { FilterInput } from '../../parts/FilterInput.tsx'
import { count } from '../../parts/format.ts'
import styles from './Dlq.module.css'
import { DryRun } from './DryRun.tsx'
import { redriveRequest, type RedriveForm, type RedriveWhat } from './redriveRequest.ts'
import type { LetterGroup } from './useLetters.ts'

/** How long the form must be unchanged before a dry run counts, in ms. */
const settledMs = 400

/** Redrives messages: what, where to, and how fast; shows the effect before it can be confirmed. */
export const RedriveDialog = ({
  queue,
  letters,
  groups,
  queues,
}: {
  readonly queue: string
  readonly letters: number
  readonly groups: readonly LetterGroup[]
  readonly queues: readonly KnownQueue[]
}) => {
  const { search, setSearch } = usePageSearch()
  const chosen = (search['messages'] ?? '').split(',').filter((id) => id !== '')
  const group = groups.find((each) => each.group === search['group'])
  const [form, setForm] = useState<RedriveForm>({
    what: (search['redrive'] ?? 'all') as RedriveWhat,
    where: search['where'] ?? '',
    to: '',
    rate: '',
    most: '',
  })
  const change = (changes: Partial<RedriveForm>): void => setForm((now) => ({ ...now, ...changes }))
  const asked = redriveRequest(form, group?.group, chosen)
  const request = useSettled(asked.problem === undefined ? asked.request : undefined)
  const run = useDryRun(queue, request)
  const isCurrent = JSON.stringify(request) === JSON.stringify(asked.request)
  const ready = isCurrent && run.data !== undefined && !run.isFetching && run.data.moved > 0
  const close = (): void =>
    setSearch({ redrive: undefined, messages: undefined, where: undefined }, { replace: true })
  const option = (what: RedriveWhat, text: string) => (
    <label className={styles['radio']}>
      <input type="radio" name="what" checked={form.what === what} onChange={() => change({ what })} />
      {text}
    </label>
  )
  return (
    <CommandDialog<RedriveDescription>
      title={`Redrive from ${queue}`}
      action={ready ? `Redrive ${messages(run.data.moved)}` : 'Redrive'}
      isReady={ready}
      command={() => redriveCommand(queue, request ?? {})}
      done={() => 'The redrive has started.'}
      onClose={close}
    >
      <fieldset className={styles['what']}>
        <legend>What</legend>
        {option('all', `All ${count(letters)}`)}
        {group !== undefined &&
          option(
            'group',
            `The group “${group.form === '' ? group.cause : group.form}” (${count(group.count)})`,
          )}
        {chosen.length > 0 && option('messages', `The ${count(chosen.length)} selected`)}
        {option('where', 'Matching a filter')}
        {form.what === 'where' && (
          <FilterInput
            filter={form.where}
            queues={[queue]}
            onFilter={(where) => change({ where })}
            inputRef={null}
          />
        )}
      </fieldset>
      <div className={styles['fields']}>
        <label>
          To
          <select className="field" value={form.to} onChange={(event) => change({ to: event.target.value })}>
            <option value="">Each to its source</option>
            {queues
              .filter(({ name }) => name !== queue)
              .map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
          </select>
        </label>
        <label>
          Messages per second
          <input
            className="field number"
            inputMode="numeric"
            placeholder="no limit"
            value={form.rate}
            onChange={(event) => change({ rate: event.target.value })}
          />
        </label>
        <label>
          At most
          <input
            className="field number"
            inputMode="numeric"
            placeholder="all"
            value={form.most}
            onChange={(event) => change({ most: event.target.value })}
          />
        </label>
      </div>
      <DryRun
        problem={asked.problem}
        run={isCurrent ? run.data : undefined}
        error={isCurrent ? run.error : null}
      />
    </CommandDialog>
  )
}

const messages = (n: number): string => `${count(n)} ${n === 1 ? 'message' : 'messages'}`

/** A value once it has not changed for a while. */
const useSettled = <A,>(value: A): A | undefined => {
  const [settled, setSettled] = useState<A>()
  const key = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), settledMs)
    return () => clearTimeout(timer)
    // Compared by content, not by identity.
  }, [key])
  return settled
}
