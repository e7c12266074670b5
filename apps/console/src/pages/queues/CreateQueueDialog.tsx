import { defaultQueueConfig } from '@kiroku/protocol'
import { useMemo, useState } from 'react'
import { useScope } from '../../data/moment.ts'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import styles from './SettingFields.module.css'
import { SettingFields } from './SettingFields.tsx'
import { changesOf, draftOf } from './settingDraft.ts'

/** Names of queues: as the engine has them. */
const nameRule = /^[A-Za-z0-9_-]{1,80}$/

/** Creates a queue and looks at it. */
export const CreateQueueDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { setQueue } = useScope()
  const [name, setName] = useState('')
  const [draft, setDraft] = useState(() => draftOf(defaultQueueConfig))
  const { changes: settings, errors } = useMemo(() => changesOf(draft, defaultQueueConfig), [draft])
  const isNamed = nameRule.test(name)
  return (
    <CommandDialog<{ readonly created: boolean }>
      title="Create a queue"
      action="Create queue"
      isReady={isNamed && Object.keys(errors).length === 0}
      command={() => ({ method: 'POST', path: '/v1/queues', body: { name, settings } })}
      done={({ created }) =>
        created ? `${name} is created.` : `${name} exists already, with these settings.`
      }
      onDone={() => setQueue(name)}
      onClose={onClose}
    >
      <div className={styles['field']}>
        <label htmlFor="queue-name">name</label>
        <input
          id="queue-name"
          className="field"
          value={name}
          autoComplete="off"
          aria-describedby="queue-name-says"
          aria-invalid={name !== '' && !isNamed}
          onChange={(event) => setName(event.target.value)}
        />
        <p id="queue-name-says" className={name === '' || isNamed ? styles['says'] : styles['error']}>
          1 to 80 letters, digits, hyphens and underscores.
        </p>
      </div>
      <SettingFields draft={draft} errors={errors} onChange={setDraft} />
      <p>Groups and encryption can’t be changed later.</p>
    </CommandDialog>
  )
}
