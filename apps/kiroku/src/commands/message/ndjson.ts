import { KirokuError } from '@kiroku/protocol'

/** One line of ndjson: its number in the input, from 1, and the bytes of its value. */
export interface NdjsonLine {
  readonly line: number
  readonly bytes: Uint8Array
}

const newline = 0x0a
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads ndjson as it arrives; empty lines are skipped, values keep their bytes.
 * Errors: `MalformedJson` with the number of the line, `BodyTooLarge` for a line beyond `lineBytesMax`.
 */
export async function* readNdjson(
  input: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<NdjsonLine> {
  let line = 0
  let parts: Uint8Array[] = []
  let length = 0
  const take = (): NdjsonLine | undefined => {
    line++
    const bytes = checked(parts.length === 1 ? parts[0]! : Buffer.concat(parts, length), line)
    parts = []
    length = 0
    return bytes === undefined ? undefined : { line, bytes }
  }
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end))
      length += end - start
      start = end + 1
      const value = take()
      if (value !== undefined) yield value
    }
    if (start < chunk.length) {
      parts.push(chunk.subarray(start))
      length += chunk.length - start
    }
    if (length > lineBytesMax)
      throw new KirokuError('BodyTooLarge', `line ${line + 1} is longer than ${lineBytesMax} bytes`)
  }
  const value = length === 0 ? undefined : take()
  if (value !== undefined) yield value
}

const checked = (bytes: Uint8Array, line: number): Uint8Array | undefined => {
  let text: string
  try {
    text = decoder.decode(bytes).trim()
  } catch {
    throw new KirokuError('MalformedJson', `line ${line} is not UTF-8`)
  }
  if (text === '') return undefined
  try {
    JSON.parse(text)
  } catch (error) {
    throw new KirokuError('MalformedJson', `line ${line}: ${(error as Error).message}`)
  }
  const trimmed = Buffer.from(text)
  return trimmed.length === bytes.length ? bytes : trimmed
}
