import type { MessageBody } from '@kiroku/api/answers'
import { queryOptions } from '@tanstack/react-query'
import { get } from './api.ts'

/** Fetches what a message carries; `isRevealed`: also a hidden body, on purpose. */
export const bodyQuery = (id: string, isRevealed = false) =>
  queryOptions({
    queryKey: ['body', id, isRevealed],
    queryFn: ({ signal }) =>
      get<MessageBody>(
        `/v1/messages/${encodeURIComponent(id)}/body`,
        isRevealed ? { reveal: '1' } : {},
        signal,
      ),
    staleTime: Infinity,
  })

/** Bytes of base64. Errors: `DOMException` if it is not base64. */
export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (c) => c.charCodeAt(0))

/** A text as base64 of its UTF-8. */
export const base64OfText = (text: string): string => {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** A hex dump: an offset, sixteen bytes in hex, and those that are letters. */
export const hexLine = (bytes: Uint8Array, from: number): string => {
  const part = [...bytes.subarray(from, from + 16)]
  const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
  const letters = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('')
  return `${from.toString(16).padStart(8, '0')}  ${hex.padEnd(47)}  ${letters}`
}
