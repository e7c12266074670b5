import { useState } from 'react'
import { bytesOfBase64, hexLine } from '../../../data/MessageBody.ts'
import { count } from '../../../parts/format.ts'
import styles from './PlainView.module.css'

/** Characters and lines shown at first. */
const charactersMax = 50_000
const hexLinesMax = 512

/** Plain text; never as HTML. */
export const TextView = ({ text }: { readonly text: string }) => {
  const [shown, setShown] = useState(charactersMax)
  return (
    <>
      <pre className={styles['text']} tabIndex={0}>
        {text.slice(0, shown)}
      </pre>
      {shown < text.length && (
        <button type="button" className="button small" onClick={() => setShown(shown * 4)}>
          Show more of {count(text.length)} characters
        </button>
      )}
    </>
  )
}

/** Bytes that are not text. */
export const HexView = ({ base64 }: { readonly base64: string }) => {
  const [shown, setShown] = useState(hexLinesMax)
  const bytes = bytesOfBase64(base64)
  const all = Math.ceil(bytes.length / 16)
  const lines = Array.from({ length: Math.min(all, shown) }, (_, i) => hexLine(bytes, i * 16))
  return (
    <>
      <pre className={styles['text']} data-hex="true" tabIndex={0}>
        {lines.join('\n')}
      </pre>
      {shown < all && (
        <button type="button" className="button small" onClick={() => setShown(shown * 4)}>
          Show more of {count(bytes.length)} bytes
        </button>
      )}
    </>
  )
}
