import { writeFile } from 'node:fs/promises'
import { temporaryFolder } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { readConfigFile } from './ConfigFile.ts'

describe('kiroku.jsonc', () => {
  it('may hold comments and trailing commas, and may be absent', async () => {
    await using folder = await temporaryFolder()
    expect(readConfigFile(folder.path).root).toEqual({})
    await writeFile(`${folder.path}/kiroku.jsonc`, '{ // mine\n "log": "a",\n}')
    expect(readConfigFile(folder.path)).toMatchObject({ file: 'kiroku.jsonc', root: { log: 'a' } })
  })

  it('may be another file, which must exist', async () => {
    await using folder = await temporaryFolder()
    await writeFile(`${folder.path}/other.jsonc`, '{ "log": "b" }')
    expect(readConfigFile('/nowhere', `${folder.path}/other.jsonc`).root).toEqual({ log: 'b' })
    expect(() => readConfigFile(folder.path, `${folder.path}/none.jsonc`)).toThrow(
      /none.jsonc cannot be read/,
    )
  })

  it.each([
    ['{\n "log": \n}', /^kiroku.jsonc:3:1: a value is expected here/],
    ['[]', /must hold one object/],
    ['', /./],
  ])('that is malformed is refused with its place: %j', async (text, message) => {
    await using folder = await temporaryFolder()
    await writeFile(`${folder.path}/kiroku.jsonc`, text)
    expect(() => readConfigFile(folder.path)).toThrow(
      expect.objectContaining({ id: 'MalformedJson', message: expect.stringMatching(message) }),
    )
  })
})
