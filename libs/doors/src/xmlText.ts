const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** Whether XML can hold every character of a text: no control characters, no halves of surrogate pairs. */
export const isXmlText = (text: string): boolean => text.search(forbidden) < 0

/** Text as XML can hold it, U+FFFD in place of what it cannot. */
export const asXmlText = (text: string): string => text.replaceAll(forbidden, '\uFFFD')
