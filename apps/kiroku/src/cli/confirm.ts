import { createInterface } from 'node:readline/promises'

/** Whether a user at a terminal can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** Asks at the terminal; anything but yes is no, including end of input and an abort. */
export const confirm = async (question: string, signal?: AbortSignal): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} [y/N] `, signal === undefined ? {} : { signal })
    return /^y(es)?$/i.test(answer.trim())
  } catch {
    process.stderr.write('\n')
    return false
  } finally {
    terminal.close()
  }
}
