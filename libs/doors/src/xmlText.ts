const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** Finds all of those, and whole surrogate pairs too, in a third of the time; most texts have neither. */
const suspicious = /[\0-\u0008\u000B\u000C\u000E-\u001F\uD800-\uDFFF\uFFFE\uFFFF]/

/** Whether XML can hold every character of a text: no control characters, no halves of surrogate pairs. */
export const isXmlText = (text: string): boolean => !suspicious.test(text) || text.search(forbidden) < 0

/** Text as XML can hold it, U+FFFD in place of what it cannot. */
export const asXmlText = (text: string): string =>
  suspicious.test(text) ? text.replaceAll(forbidden, '\uFFFD') : text
