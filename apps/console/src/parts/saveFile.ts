/** Gives the reader a file. */
export const saveFile = (name: string, content: BlobPart, type = 'application/x-ndjson'): void => {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
