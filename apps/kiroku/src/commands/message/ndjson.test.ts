import { describe, expect, it } from 'vitest'
import { readNdjson } from './ndjson.ts'

const inChunks = async function* (text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let i = 0; i < bytes.length; i += size) {
    await Promise.resolve()
    yield bytes.subarray(i, i + size)
  }
}

const read = async (text: string, size = 1_000, max = 100): Promise<string[]> => {
  const values: string[] = []
  for await (const { line, bytes } of readNdjson(inChunks(text, size), max))
    values.push(`${line} ${Buffer.from(bytes).toString()}`)
  return values
}

describe('ndjson', () => {
  it.each([1, 2, 3, 7, 1_000])('is read the same in chunks of %d bytes', async (size) => {
    const text = '{"a":1}\n\n  [2,\t3]\r\n"ü\\n€"\n12345678901234567890'
    expect(await read(text, size)).toEqual(['1 {"a":1}', '3 [2,\t3]', '4 "ü\\n€"', '5 12345678901234567890'])
  })

  it('may be empty, and may begin with a byte order mark', async () => {
    expect(await read('')).toEqual([])
    expect(await read('\n\n')).toEqual([])
    expect(await read('\ufeff{"a":1}\n')).toEqual(['1 {"a":1}'])
  })

  it('names the line that is malformed, after those before it', async () => {
    const lines: number[] = []
    const reading = async (): Promise<void> => {
      for await (const { line } of readNdjson(inChunks('1\n2\n{"a":\n4\n', 3), 100)) lines.push(line)
    }
    await expect(reading()).rejects.toMatchObject({
      id: 'MalformedJson',
      message: expect.stringMatching(/^line 3: /),
    })
    expect(lines).toEqual([1, 2])
  })

  it('refuses bytes that are not UTF-8', async () => {
    const input = async function* (): AsyncGenerator<Uint8Array> {
      await Promise.resolve()
      yield Uint8Array.of(0x22, 0xff, 0x22, 0x0a)
    }
    await expect(readNdjson(input(), 100).next()).rejects.toMatchObject({
      id: 'MalformedJson',
      message: 'line 1 is not UTF-8',
    })
  })

  it('refuses a line that never ends before it fills the memory', async () => {
    await expect(read('1\n' + 'a'.repeat(500), 50)).rejects.toMatchObject({
      id: 'BodyTooLarge',
      message: 'line 2 is longer than 100 bytes',
    })
  })
})
