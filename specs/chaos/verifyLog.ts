import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const executable = fileURLToPath(new URL('../../apps/kiroku/bin/kiroku.mjs', import.meta.url))

/** Runs `kiroku verify` as a process of its own. */
export const verifyLog = (
  urls: readonly string[],
): Promise<{ readonly ok: boolean; readonly text: string }> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [executable, 'verify', '--nats', urls.join(','), '--json'],
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ ok: error === null, text: `${stdout}${stderr}`.trim() }),
    )
  })
