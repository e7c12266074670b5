import { stat } from 'node:fs/promises'

/** How often files are looked at, in ms. */
const lookMs = 2_000

/** Calls `changed` whenever one of the files was written or replaced. Returns the function that stops it. */
export const followFiles = (files: readonly string[], changed: () => Promise<void>): (() => void) => {
  if (files.length === 0) return () => {}
  const stampOf = async (): Promise<string> => (await Promise.all(files.map(stampOfFile))).join()
  let stamp = stampOf()
  const look = async (): Promise<void> => {
    const [before, now] = [await stamp, await stampOf()]
    if (now === before) return
    stamp = Promise.resolve(now)
    await changed()
  }
  const looking = setInterval(() => void look(), lookMs)
  looking.unref()
  return () => clearInterval(looking)
}

const stampOfFile = (file: string): Promise<string> =>
  stat(file).then(
    ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
    () => 'gone',
  )
