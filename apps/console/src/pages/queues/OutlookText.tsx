import type { Outlook } from './outlook.ts'
import styles from './OutlookText.module.css'

const signs: Readonly<Record<Outlook['kind'], string>> = {
  quiet: '',
  shrinking: '↘',
  growing: '↗',
  limit: '▲',
  paused: '❚❚',
}

/** The outlook of a queue, by sign and words. */
export const OutlookText = ({ outlook: { kind, text } }: { readonly outlook: Outlook }) =>
  text === '' ? null : (
    <span
      className={styles['outlook']}
      data-kind={kind}
      title={
        kind === 'limit'
          ? `A limit is near: ${text}`
          : kind === 'growing'
            ? 'The backlog is growing'
            : undefined
      }
    >
      <span aria-hidden="true" className={styles['sign']}>
        {signs[kind]}
      </span>
      {text}
    </span>
  )
