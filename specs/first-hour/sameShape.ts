const kinds: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b[0-9a-f]{8}-\d+-\d+-\d+\b/g, 'ID'],
  [/\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?/g, 'TIME'],
  [/\b\d[\d.]* (ms|s|min|h)\b/g, 'SPAN'],
  [/\b\d+\/\d+\b/g, 'SEQ'],
  [/\b[0-9a-f]{20,}…/g, 'HASH'],
  [/(?<=lease SPAN, )\S+/g, 'WHO'],
  [/(?<=SPAN SPAN SPAN )\S+/g, 'WHO'],
]

/** The output without the ids, moments, spans and names of machines that differ each time, nor how it is spaced. */
const shapeOf = (output: string): string =>
  kinds.reduce((shape, [pattern, name]) => shape.replace(pattern, name), output.trim().replace(/\s+/g, ' '))

/** Whether a command printed what a document shows, but for what differs each time it is run. */
export const showsSame = (printed: string, shown: string): boolean =>
  shapeOf(printed).includes(shapeOf(shown))
