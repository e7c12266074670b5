import { parseArgs } from 'node:util'
import { findChromium, noChromium } from '@kiroku/testkit/chromium'
import { auditBench } from './audit/auditBench.ts'
import { clusterBench } from './cluster/clusterBench.ts'
import { consoleBench } from './console/consoleBench.ts'
import { compareCheckouts } from './engine/compareCheckouts.ts'
import { engineBench } from './engine/engineBench.ts'
import type { Figure } from './Figure.ts'
import { firstBench } from './first/firstBench.ts'
import { profileBench } from './profile/profileBench.ts'
import { shapeNamed, shapesHelp } from './profile/ProfiledShape.ts'
import { shapesBench } from './shapes/shapesBench.ts'
import { sqsBench } from './sqs/sqsBench.ts'

const usage = `usage: npm run bench -- engine [--json] [--quick] [--partitions N] [--only PART] [--profile FOLDER]
       npm run bench -- engine --against REF [--json] [--quick]
       npm run bench -- audit [--json] [--quick] [--only PART]
       npm run bench -- console [--json] [--quick] [--only PART]
       npm run bench -- first [--json] [--quick] [--only PART]
       npm run bench -- cluster [--json] [--quick] [--only PART]
       npm run bench -- sqs [--json] [--quick] [--only PART] [--profile FOLDER]
       npm run bench -- shapes [--json] [--quick] [--only PART] [--profile FOLDER]
                               [--report FILE]
       npm run bench -- profile SHAPE [--json] [--quick] [--profile FOLDER]

  SHAPE             ${shapesHelp}
  --json            the last line is one JSON object with all figures
  --quick           fewer and smaller rounds
  --partitions N    partitions of the engine's log (default 1)
  --only PART       engine: core, states, lives, sends, http, queues, hold, or soak, which
                    runs only when asked for; audit: read, look, index, recovery, beside,
                    readers or crowd; console: first, frames, slider or beside; first: lone or
                    start; cluster: handover, death, restart, servers, takeover, order,
                    consumers, load, idle or members; sqs: requests, always, signed, polls,
                    attributes or lives; shapes: sizes, batches, sends, partitions, latency,
                    backlog, recovery, stall, idle or http, and only when asked for
                    backlog10 or recovery10; can be given several times
  --profile FOLDER  write a CPU profile of each process, for sqs of each engine, for shapes
                    of engines and clients; for profile also what they allocate
  --report FILE     write the tables as Markdown, and a picture beside them
  --against REF     compare with another commit of the project, alternating
`

const subjects = ['engine', 'audit', 'console', 'first', 'cluster', 'sqs', 'shapes', 'profile']

const read = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      partitions: { type: 'string', default: '1' },
      only: { type: 'string', multiple: true, default: [] },
      profile: { type: 'string' },
      report: { type: 'string' },
      against: { type: 'string' },
    },
  })

const line = ({ name, value, unit, target, met, spread }: Figure): string => {
  const mark = met === null ? ' ' : met ? '✓' : '✗'
  const number = value.toLocaleString('en', { maximumFractionDigits: 3 })
  const apart = spread !== undefined && `rounds ${spread} % apart`
  return `${mark} ${name.padEnd(52)} ${number.padStart(12)} ${unit.padEnd(6)} ${[target, apart].filter(Boolean).join(', ')}`.trimEnd()
}

const main = async (): Promise<number> => {
  let given: ReturnType<typeof read>
  try {
    given = read()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}`)
    return 2
  }
  const { json, quick, partitions, only, profile, report, against } = given.values
  const [subject, named] = given.positionals
  const shape = subject === 'profile' ? shapeNamed(named ?? '') : undefined
  if (subject === 'profile' && shape === undefined) {
    process.stderr.write(`profile takes a shape: ${shapesHelp}\n`)
    return 2
  }
  if (
    given.positionals.length !== (shape === undefined ? 1 : 2) ||
    !subjects.includes(subject!) ||
    !(Number(partitions) >= 1)
  ) {
    process.stderr.write(usage)
    return 2
  }
  if (shape !== undefined) {
    const { figures, text } = await profileBench({ shape, quick, folder: profile })
    console.log(text)
    return print(figures, json)
  }
  const executablePath = subject === 'console' ? findChromium() : undefined
  if (subject === 'console' && executablePath === undefined) {
    process.stderr.write(`bench: ${noChromium}\n`)
    return 2
  }
  const figures =
    executablePath !== undefined
      ? await consoleBench({ quick, only, executablePath })
      : subject === 'audit'
        ? await auditBench({ quick, only })
        : subject === 'first'
          ? await firstBench({ quick, only })
          : subject === 'cluster'
            ? await clusterBench({ quick, only })
            : subject === 'sqs'
              ? await sqsBench({ quick, only, profile })
              : subject === 'shapes'
                ? await shapesBench({ quick, only, profile, report })
                : against === undefined
                  ? await engineBench({ quick, partitions: Number(partitions), only, profile })
                  : await compareCheckouts(against, quick)
  return print(figures, json)
}

const print = (figures: readonly Figure[], json: boolean): number => {
  for (const figure of figures) console.log(line(figure))
  if (json) console.log(JSON.stringify({ figures }))
  return 0
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
