import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { wholeProgram, type Block } from './readBlocks.ts'

/** The programs among the blocks, whole: those that import nothing continue the one before them. */
const programsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<readonly [Block, string]> => {
  const programs: Array<readonly [Block, string]> = []
  let before: Block['text'] | undefined
  let document: string | undefined
  for (const block of blocks) {
    if (block.document !== document) before = undefined
    document = block.document
    // A module written for Workers gets its types from those who write it.
    if (block.language !== 'ts' && !(block.language === 'js' && /^import /m.test(block.text))) continue
    const program = wholeProgram(block, before)
    programs.push([block, program])
    if (program.includes('await connect(')) before = program
  }
  return programs
}

/**
 * Checks the types of every program among the blocks, as strictly as TypeScript can, in a folder where what they import
 * is installed; in the workspace itself by its own rules, which are in the file `base`. Returns what the compiler says; nothing if all is well.
 */
export const checkTypes = async (
  blocks: ReadonlyArray<Block>,
  folder: string,
  root: string,
  base?: string,
): Promise<string> => {
  const sources = path.join(folder, 'blocks')
  mkdirSync(sources, { recursive: true })
  try {
    for (const [{ document, line }, program] of programsOf(blocks))
      writeFileSync(path.join(sources, `${document.replaceAll(/\W/g, '-')}-${line}.mts`), program)
    const compilerOptions = {
      lib: ['es2024', 'dom', 'esnext.array', 'esnext.disposable'],
      types: ['node'],
      typeRoots: [path.join(root, 'node_modules', '@types')],
      noEmit: true,
      ...(base === undefined
        ? { module: 'nodenext', target: 'es2024', strict: true, noUncheckedIndexedAccess: true }
        : {}),
    }
    const config = { ...(base === undefined ? {} : { extends: base }), compilerOptions }
    writeFileSync(path.join(sources, 'tsconfig.json'), JSON.stringify(config))
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    return await promisify(execFile)(process.execPath, [tsc, '-p', sources], { cwd: sources }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
  } finally {
    rmSync(sources, { recursive: true, force: true })
  }
}
