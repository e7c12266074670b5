import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KirokuError } from '@kiroku/protocol'

/** Opens a body in the user's editor; returns the edited text. Errors: `InvalidArgument`. */
export const openEditor = async (body: Uint8Array, isJson: boolean): Promise<Uint8Array> => {
  const editor = process.env['VISUAL'] ?? process.env['EDITOR'] ?? 'vi'
  const folder = await mkdtemp(join(tmpdir(), 'kiroku-edit-'))
  try {
    const file = join(folder, isJson ? 'body.json' : 'body.txt')
    await writeFile(file, body, { mode: 0o600 })
    await run(editor, file)
    return new Uint8Array(await readFile(file))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The editor's command may have arguments. */
const run = (editor: string, file: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const [program, ...args] = editor.split(' ').filter((part) => part !== '')
    const child = spawn(program ?? 'vi', [...args, file], { stdio: 'inherit' })
    const failed = (why: string): void =>
      reject(new KirokuError('InvalidArgument', `the editor "${editor}" ${why}; nothing was edited`))
    child.once('error', () => failed('cannot be started'))
    child.once('close', (code) => (code === 0 ? resolve() : failed(`ended with ${code}`)))
  })
