import { useEffect, useState } from 'react'
import styles from './Reading.module.css'

/** Time after which the elapsed time is shown, in s. */
const saidFromSeconds = 2

/** Says what is being read and for how long so far. No percentage: the total is not known before the end. */
export const Reading = ({ what }: { readonly what: string }) => {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const startedAt = performance.now()
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - startedAt) / 1_000)), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <div className={styles['reading']}>
      <p role="status">Reading {what}…</p>
      <progress aria-label={`Reading ${what}`} />
      {seconds >= saidFromSeconds && <span className="quiet">{seconds} s</span>}
    </div>
  )
}
