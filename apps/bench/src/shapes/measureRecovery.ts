import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atMost, type Figure, informs, median } from '../Figure.ts'
import { ownRoot } from '../LoadProcess.ts'
import { inBatches } from './measureTurns.ts'
import { queuesOf } from './measureBacklog.ts'
import { type ShapeSystem, ShapeSystems } from './ShapeSystems.ts'
import type { ShapesRun } from './ShapesRun.ts'
import { bodyBytes } from './sizes.ts'

const firstMsMax = 1_500

/** From `kill -9` beside very many messages that wait until the server serves again, and until a client that connects then has its first message. */
export const measureRecovery = async (run: ShapesRun): Promise<Figure[]> => {
  const launcher = await installable(run)
  await using servers = new ShapeSystems(run)
  return await recoveryOf(run, await queuesOf(servers, { launcher }), run.sizes.waiting)
}

/** The same of Kiroku with ten times as many. */
export const measureLargeRecovery = async (run: ShapesRun): Promise<Figure[]> => {
  const launcher = await installable(run)
  await using servers = new ShapeSystems(run)
  return await recoveryOf(run, [await servers.kiroku({ launcher })], run.sizes.waitingMany)
}

/** Builds the package that people install, which starts sooner than the sources; resolves with what starts it. */
const installable = async ({ progress }: ShapesRun): Promise<string> => {
  progress.step('building the package that people install')
  await promisify(execFile)(process.execPath, [join(ownRoot, 'tools/build.ts'), 'cli'], { cwd: ownRoot })
  return join(ownRoot, 'dist/packages/cli/bin/kiroku.mjs')
}

const recoveryOf = async (
  run: ShapesRun,
  systems: readonly ShapeSystem[],
  waiting: number,
): Promise<Figure[]> => {
  const title = `kill -9 with ${waiting.toLocaleString('en')} messages that wait`
  const recovered: { name: string; readyMs: number; firstMs: number }[] = []
  for (const system of systems)
    recovered.push({ name: system.name, ...(await recover(run, system, waiting)) })
  run.report.table(
    title,
    ['', 'serves after, ms', 'first delivery after, ms'],
    recovered.map(({ name, readyMs, firstMs }) => [
      name,
      Math.round(readyMs).toLocaleString('en'),
      Math.round(firstMs).toLocaleString('en'),
    ]),
  )
  const [own, ...peers] = recovered
  return [
    atMost(`${title}, ${own!.name}, first delivery`, own!.firstMs, 'ms', firstMsMax),
    informs(`${title}, ${own!.name}, serves`, own!.readyMs, 'ms'),
    ...peers.flatMap(({ name, readyMs, firstMs }) => [
      informs(`${title}, ${name}, first delivery`, firstMs, 'ms'),
      informs(`${title}, ${name}, serves`, readyMs, 'ms'),
    ]),
    ...(peers.length === 0
      ? []
      : [
          atMost(
            `${title}, first delivery, Kiroku over the best peer`,
            own!.firstMs / Math.min(...peers.map(({ firstMs }) => firstMs)),
            '×',
            1,
          ),
        ]),
  ]
}

const recover = async ({ sizes, progress }: ShapesRun, system: ShapeSystem, waiting: number) => {
  progress.step(`${system.name}, ${waiting.toLocaleString('en')} messages`)
  await system.load.ask('publish', inBatches(system, waiting, bodyBytes))
  // Clients of peers do not survive their server.
  await system.load.end()
  const [ready, first]: [number[], number[]] = [[], []]
  for (let kill = 1; kill <= sizes.kills; kill++) {
    progress.step(`${system.name}, kill ${kill} of ${sizes.kills}`)
    const beganMs = performance.now()
    await system.crash()
    const readyMs = performance.now() - beganMs
    const client = system.another()
    ready.push(readyMs)
    first.push(readyMs + (await client.ask('first')))
    await client.end()
  }
  return { readyMs: median(ready), firstMs: median(first) }
}
