/**
 * What a terminal obeys instead of showing it: control characters other than tab, line feed and the return in front of one,
 * and those that reverse or hide the text around them.
 */
const obeyed =
  /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text with its control characters spelled out, `\x1b`, so that a terminal shows them: for what came from others. */
export const shown = (text: string): string =>
  text.replace(obeyed, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
  })

/** JSON text of the same value in which nothing is left that a terminal would obey. */
export const shownJson = (json: string): string =>
  json.replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
