import { useEffect, useRef } from 'react'

/** What a key does; two keys one after the other are written `g m`. */
export type Keys = Readonly<Record<string, () => void>>

/** How long the second key of two may take, in ms. */
const secondKeyMs = 1_200

/**
 * Keys for the page; inactive while typing, and while a dialog is open. Those of `around`, the shell's, get
 * only what the page does not handle.
 */
export const useKeys = (keys: Keys, { around = false } = {}): void => {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    let first = ''
    let firstAt = 0
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.metaKey || event.ctrlKey) return
      const target = event.target as HTMLElement
      if (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName)) return
      if (document.querySelector('dialog[open]') !== null) return
      const pair = `${first} ${event.key}`
      const isPair = first !== '' && event.timeStamp - firstAt < secondKeyMs && pair in latest.current
      const run = isPair ? latest.current[pair] : latest.current[event.key]
      const begins = !isPair && Object.keys(latest.current).some((key) => key.startsWith(`${event.key} `))
      first = begins ? event.key : ''
      firstAt = event.timeStamp
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    const heard = around ? window : document
    heard.addEventListener('keydown', onKeyDown as EventListener)
    return () => heard.removeEventListener('keydown', onKeyDown as EventListener)
  }, [around])
}
