import { ApiError } from '../data/api.ts'
import styles from './Problem.module.css'

/** What went wrong, and what to do. */
export const Problem = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) => {
  const { id, message, help } =
    error instanceof ApiError
      ? error
      : { id: 'Internal', message: error instanceof Error ? error.message : String(error), help: '' }
  return (
    <div className={styles['problem']} role="alert">
      <p className={styles['message']}>
        {message} <code className="quiet">{id}</code>
      </p>
      {help !== '' && <p className={styles['help']}>{help}</p>}
      {retry !== undefined && (
        <button type="button" className="button small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
