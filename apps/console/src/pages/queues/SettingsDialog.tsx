import { attemptsMaxOf, queueSettings, type QueueConfig, type QueueSetting } from '@kiroku/protocol'
import { useMemo, useState } from 'react'
import type { QueueInfo } from '../../data/queueInfos.ts'
import { CommandDialog } from '../../parts/CommandDialog.tsx'
import { settingName, settingText } from '../../parts/settingText.ts'
import { changesOf, draftOf } from './settingDraft.ts'
import { SettingFields } from './SettingFields.tsx'

const isSetOnce = (key: string): boolean =>
  (queueSettings[key as keyof QueueConfig] as QueueSetting).setOnce === true

/** Changes the settings of a queue, and says which. */
export const SettingsDialog = ({
  info: { name, config },
  onClose,
}: {
  readonly info: QueueInfo
  readonly onClose: () => void
}) => {
  // The form is compared with its initial values, whatever the page receives meanwhile.
  const [before] = useState(() =>
    Object.fromEntries(Object.entries(config).filter(([key]) => !isSetOnce(key))),
  )
  const [draft, setDraft] = useState(() => draftOf(before))
  const { changes, errors } = useMemo(() => changesOf(draft, before), [draft, before])
  const changed = Object.entries(changes)
  const { retriesMax } = changes as { readonly retriesMax?: QueueConfig['retriesMax'] }
  return (
    <CommandDialog
      title={`Settings of ${name}`}
      action={'Save'}
      isReady={changed.length > 0 && Object.keys(errors).length === 0}
      command={() => ({ method: 'PATCH', path: `/v1/queues/${encodeURIComponent(name)}`, body: changes })}
      done={() => `${name} has new settings.`}
      onClose={onClose}
    >
      <SettingFields draft={draft} errors={errors} onChange={setDraft} />
      {changed.length > 0 && (
        <ul aria-label="What changes">
          {changed.map(([key, value]) => (
            <li key={key}>
              {settingName(key)}: {settingText(key, before[key])} →{' '}
              <strong>{typeof value === 'string' ? value : settingText(key, value)}</strong>
            </li>
          ))}
        </ul>
      )}
      <p>
        They apply from the next delivery and send on; subscriptions keep their overrides.
        {retriesMax !== undefined && attemptsMaxOf(retriesMax) < attemptsMaxOf(config.retriesMax)
          ? ' Messages that have used up the new number of retries leave at their next failure.'
          : ''}
      </p>
    </CommandDialog>
  )
}
