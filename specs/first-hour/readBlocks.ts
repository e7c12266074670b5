/** One fenced block of a document, as a reader finds it. */
export interface Block {
  /** The document's path from the root of the workspace. */
  readonly document: string
  /** The line of the opening fence, from 1. */
  readonly line: number
  /** The heading above it; each section begins in a new terminal. */
  readonly section: string
  readonly language: string
  readonly text: string
  /** What comments in front of it say about running it. */
  readonly notes: Notes
}

/** What a document says about a block in HTML comments, which a reader does not see. */
interface Notes {
  /** `not run: REASON`. */
  readonly notRun?: string
  /** `only checked: REASON`: its types are checked, and it is not run. */
  readonly onlyChecked?: string
  /** `runs on, says: TEXT`: its last command does not end by itself; it is ready once it printed the text. */
  readonly runsOn?: string
  /** `Ctrl-C after: TEXT`: ends each of its commands that printed the text and continues. */
  readonly endedAfter?: string
  /** `meanwhile: COMMAND`: what others do while the block runs. */
  readonly meanwhile?: string
  /** `needs: COMMAND`: where it fails, what the block is for is not installed, and the block is skipped. */
  readonly needs?: string
  /** `before: COMMAND`: what a reader has at this point and the document takes for granted. */
  readonly before: ReadonlyArray<string>
  /** `WORD is: COMMAND`: the reader puts something of their own in the word's place; the command prints it. */
  readonly stands: ReadonlyArray<{ readonly word: string; readonly command: string }>
  /** `types: ANSWER`: what the reader answers where a command asks. */
  readonly types?: string
}

const readNote = (notes: Notes, comment: string, where: string): Notes => {
  const [, key = '', value = ''] = /^(.+?): ([^]+)$/.exec(comment) ?? []
  if (key === 'not run') return { ...notes, notRun: value }
  if (key === 'only checked') return { ...notes, onlyChecked: value }
  if (key === 'runs on, says') return { ...notes, runsOn: value }
  if (key === 'Ctrl-C after') return { ...notes, endedAfter: value }
  if (key === 'needs') return { ...notes, needs: value }
  if (key === 'before') return { ...notes, before: [...notes.before, value] }
  if (key === 'meanwhile') return { ...notes, meanwhile: value }
  if (key === 'types') return { ...notes, types: value }
  const [, word] = /^(\S+) is$/.exec(key) ?? []
  if (word !== undefined) return { ...notes, stands: [...notes.stands, { word, command: value }] }
  throw new Error(`${where}: a comment in front of a block says "${comment}", which means nothing here`)
}

const none: Notes = { before: [], stands: [] }

/**
 * Reads the fenced blocks of a document in their order.
 * @throws when a comment in front of a block is none of `Notes`.
 */
export const readBlocks = (document: string, markdown: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  const lines = markdown.split('\n')
  let section = ''
  let notes = none
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const [, heading] = /^## (.+)/.exec(line) ?? []
    const [, comment] = /^<!-- (.+) -->$/.exec(line) ?? []
    const [, language] = /^```(\w*)$/.exec(line) ?? []
    if (heading !== undefined) section = heading
    if (comment !== undefined) notes = readNote(notes, comment, `${document}:${at + 1}`)
    else if (language !== undefined) {
      const end = lines.indexOf('```', at + 1)
      const text = lines.slice(at + 1, end).join('\n')
      blocks.push({ document, line: at + 1, section, language, text, notes })
      notes = none
      at = end
    } else if (line !== '') notes = none
  }
  return blocks
}

/** Whether the block is a program or part of one. */
export const isProgram = ({ language }: Block): boolean => Object.hasOwn(runners, language)

/** What a reader runs programs with, and how files with them end. Debian's Python has Debian's clients, whatever else is on the path. */
const runners: Readonly<Record<string, readonly [program: string, extension: string]>> = {
  ts: ['node', 'mjs'],
  js: ['node', 'mjs'],
  python: ['/usr/bin/python3', 'py'],
}

/** Whether its reader has something to do, and does it here. */
export const isFollowed = (block: Block): boolean =>
  block.notes.notRun === undefined &&
  block.notes.onlyChecked === undefined &&
  (isProgram(block) || commandsOf(block).length > 0)

/** The file name that a program's first line gives. */
export const fileOf = ({ text }: Block): string | undefined => /^(?:\/\/|#) ([\w.-]+\.\w+)\n/.exec(text)?.[1]

/** The file that a program without a name is put in, and what its reader types to run it. */
export const runOf = ({ language, line }: Block): { readonly file: string; readonly command: string } => {
  const [program, extension] = runners[language]!
  const file = `.line-${line}.${extension}`
  return { file, command: `${program} ${file}` }
}

/** What a reader types for the block: a command a line, and one behind each `&&`. */
export const commandsOf = ({ text, language }: Block): ReadonlyArray<string> => {
  if (language === 'sh')
    return text
      .split('\n')
      .map((line) => line.replace(/\s+# .*$/, ''))
      .flatMap((line) => line.split(' && '))
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const [, command] = /^\$ (.+)/.exec(text) ?? []
  return command === undefined ? [] : [command]
}

/** What the document shows below the command, or nothing. */
export const shownBy = ({ text, language }: Block): string | undefined =>
  language === 'sh' || !text.startsWith('$ ') ? undefined : text.slice(text.indexOf('\n') + 1)

/** The program as it can be run: a block without imports continues `before`, whose connection it uses. */
export const wholeProgram = (block: Block, before: string | undefined): string => {
  if (fileOf(block) !== undefined || /^import /m.test(block.text) || before === undefined) return block.text
  const imports = before.match(/^import .*$/gm) ?? []
  const connection = /^const client = await connect\([^]*?\)$/m.exec(before)?.[0] ?? ''
  return `${imports.join('\n')}\n\n${connection}\n\n${block.text}\n\nawait client.close()\n`
}
