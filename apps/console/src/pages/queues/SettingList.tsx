import { defaultQueueConfig, queueSettings, type QueueConfig } from '@kiroku/protocol'
import { useState } from 'react'
import type { QueueInfo } from '../../data/queueInfos.ts'
import { time } from '../../parts/format.ts'
import { settingName, settingText } from '../../parts/settingText.ts'
import styles from './SettingList.module.css'
import { isDefault, settingGroups } from './settingGroups.ts'

/** The settings in words; what was changed from its default is marked, and says what that is. Notes and times follow. */
export const SettingList = ({ info }: { readonly info: QueueInfo }) => {
  const { config } = info
  const [isShort, setShort] = useState(true)
  const shown = settingGroups
    .map(([title, keys]) => [title, keys.filter((key) => !isShort || !isDefault(key, config[key]))] as const)
    .filter(([, keys]) => keys.length > 0)
  const changed = Object.keys(queueSettings).filter((key) => !isDefault(key as never, config[key as never]))
  return (
    <section className={styles['settings']} aria-labelledby="settings-title">
      <header className="row">
        <h2 id="settings-title">Settings</h2>
        <span className="quiet">
          {changed.length === 0 ? 'all at their defaults' : `${changed.length} changed from default`}
        </span>
        <button
          type="button"
          className={`button small ${styles['more']}`}
          aria-expanded={!isShort}
          onClick={() => setShort(!isShort)}
        >
          {isShort ? 'Show all' : 'Show changed'}
        </button>
      </header>
      <div className={styles['groups']} data-short={isShort}>
        {shown.map(([title, keys]) => (
          <div key={title}>
            {!isShort && <h3 className={styles['group']}>{title}</h3>}
            <dl>
              {keys.map((key) => (
                <Setting key={key} name={key} value={config[key]} />
              ))}
            </dl>
          </div>
        ))}
        <Facts
          title="Notes"
          facts={Object.entries(info.notes ?? {}).map(([name, text]) => [name, text, noteSays])}
        />
        <Facts title="Times" facts={timesOf(info)} />
      </div>
    </section>
  )
}

/** Something that a queue has besides settings, and what it means. */
type Fact = readonly [name: string, text: string, says: string]

/** What a queue has besides settings; nothing where there is none. */
const Facts = ({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) =>
  facts.length > 0 && (
    <div>
      <h3 className={styles['group']}>{title}</h3>
      <dl>
        {facts.map(([name, text, says]) => (
          <div key={name} className={styles['setting']} title={says}>
            <dt className={styles['name']}>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  )

const noteSays = 'Text that somebody keeps with the queue, such as a tag.'

const timesOf = ({ createdAt, configuredAt, purgedAt }: QueueInfo): readonly Fact[] => {
  const times = [
    ['created', createdAt, 'When the queue was created.'],
    ['last changed', configuredAt, 'When a setting or a note of the queue was last changed.'],
    ['last purged', purgedAt, 'When somebody last discarded everything that waited in the queue.'],
  ] as const
  return times.flatMap(([name, at, says]) => (at === undefined ? [] : [[name, time(at), says] as const]))
}

const Setting = ({ name, value }: { readonly name: keyof QueueConfig; readonly value: unknown }) => {
  const isSet = !isDefault(name, value)
  return (
    <div className={styles['setting']} title={queueSettings[name].says}>
      <dt>{settingName(name)}</dt>
      <dd>
        <span className={isSet ? styles['set'] : undefined}>{settingText(name, value)}</span>
        {isSet && <span className="quiet"> (default: {settingText(name, defaultQueueConfig[name])})</span>}
      </dd>
    </div>
  )
}
