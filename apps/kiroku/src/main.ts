import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { userCacheFolder } from '@kiroku/nats-server/cache-folder'
import manifest from '../package.json' with { type: 'json' }

const argv = process.argv.slice(2)

// Not in the folder for temporary files, where others could plant code.
const compiled = join(userCacheFolder(process.env), 'compiled')
enableCompileCache(compiled)
// Lets worker threads and child processes share it. Without it, each checkpoint cost half a second of compiling.
process.env['NODE_COMPILE_CACHE'] ??= compiled
// The script of `kiroku completions` calls this on each key press.
if (argv[0] === 'completions' && argv[1] === 'words')
  process.stdout.write(await (await import('./cli/completeWords.ts')).completeWords(argv.slice(2)))
else await (await import('./cli/runProcess.ts')).runProcess(argv, manifest.version)
