/** A text as one word of a command line that is printed to be copied: in quotes where a shell would take it apart. */
export const shellWord = (text: string, platform = process.platform): string => {
  if (platform === 'win32') return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `"${text}"`
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
