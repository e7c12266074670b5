import { Dialog } from '../parts/Dialog.tsx'
import type { PageLink } from './pages.ts'
import styles from './HelpSheet.module.css'

const keys: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Go to a page, a queue, a message; do something'],
  ['/', 'Search messages'],
  ['c', 'Send a message'],
  ['p', 'Pause and resume updates'],
  ['j k', 'Next and previous row; Enter opens it'],
  ['h l', 'Previous and next event of a message'],
  ['[ ]', 'One record back and forth in time'],
  ['Space', 'Play and pause the past'],
  ['n', 'Back to now'],
  ['z', 'Times in local time or in UTC'],
  ['t', 'Light, dark, or as the system is'],
  ['?', 'This sheet'],
]

/** What the keys do. */
export const HelpSheet = ({
  onClose,
  pages,
}: {
  readonly onClose: () => void
  readonly pages: readonly PageLink[]
}) => (
  <Dialog title="Keyboard" onClose={onClose}>
    <dl className={styles['keys']}>
      {[...pages.map(({ key, name }) => [`g ${key}`, name] as const), ...keys].map(([key, does]) => (
        <div key={key}>
          <dt>
            {key.split(' ').map((each) => (
              <kbd key={each}>{each}</kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <p className="quiet">The machine is drawn with React Flow.</p>
  </Dialog>
)
