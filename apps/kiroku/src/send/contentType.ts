/** What a body given on the command line most likely is: JSON only where it is an object or an array. */
export const contentTypeOf = (body: Uint8Array): string => {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return 'application/octet-stream'
  }
  if (!/^\s*[[{]/.test(text)) return 'text/plain'
  try {
    JSON.parse(text)
    return 'application/json'
  } catch {
    return 'text/plain'
  }
}
