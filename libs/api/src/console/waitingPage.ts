import type { MissingPage } from './ConsolePages.ts'

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/**
 * The answer in place of a missing page, as status, headers and HTML; it reloads itself if a page is coming.
 */
export const waitingPage = ({ why, soon }: MissingPage) => ({
  status: 503,
  contentType: 'text/html; charset=utf-8',
  headers: {
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    ...(soon ? { 'retry-after': '1' } : {}),
  },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${soon ? '<meta http-equiv="refresh" content="1">\n' : ''}<title>Kiroku</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-content: center; min-height: 90vh }</style>
<p>${escape(why)}</p>
</html>
`,
})
