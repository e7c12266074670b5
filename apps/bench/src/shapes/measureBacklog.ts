import { bytesIn } from '../bytesIn.ts'
import { residentBytes } from '../console/processorTime.ts'
import { type Figure, informs } from '../Figure.ts'
import { handled, inBatches } from './measureTurns.ts'
import { type KirokuOptions, rawName, type ShapeSystem, ShapeSystems } from './ShapeSystems.ts'
import type { ShapesRun } from './ShapesRun.ts'
import { bodyBytes } from './sizes.ts'

/** So few that their queue is as good as empty. */
const fewPart = 20

/** How long a system may handle what waits: one that takes longer is judged by what it handled until then. */
const handlingMsMax = 90_000

/** What very many messages that wait take, and how fast they are handled, against few. */
export const measureBacklog = async (run: ShapesRun): Promise<Figure[]> => {
  await using servers = new ShapeSystems(run)
  return await backlogOf(run, await queuesOf(servers), run.sizes.waiting)
}

/** The same with ten times as many, which only Kiroku holds within minutes. */
export const measureLargeBacklog = async (run: ShapesRun): Promise<Figure[]> => {
  await using servers = new ShapeSystems(run)
  return await backlogOf(run, [await servers.kiroku()], run.sizes.waitingMany)
}

/** Kiroku and its peers, each once, as it sends fastest. */
export const queuesOf = async (
  servers: ShapeSystems,
  options?: KirokuOptions,
): Promise<readonly ShapeSystem[]> => (await servers.all(options)).filter(({ name }) => name !== rawName)

interface Held {
  readonly name: string
  readonly sentPerSecond: number
  readonly diskBytes: number
  /** Of Kiroku's engine; undefined for others, whose memory is not one process's. */
  readonly memoryBytes?: number
  readonly fewPerSecond: number
  readonly manyPerSecond: number
}

const backlogOf = async (
  run: ShapesRun,
  systems: readonly ShapeSystem[],
  waiting: number,
): Promise<Figure[]> => {
  const title = `${waiting.toLocaleString('en')} messages that wait`
  const held: Held[] = []
  for (const system of systems) held.push(await hold(run, system, waiting))
  run.report.table(
    title,
    ['', 'sent/s', 'bytes of disk a message', 'handled/s', 'of few'],
    held.map(({ name, sentPerSecond, diskBytes, fewPerSecond, manyPerSecond }) => [
      name,
      Math.round(sentPerSecond).toLocaleString('en'),
      Math.round(diskBytes).toLocaleString('en'),
      Math.round(manyPerSecond).toLocaleString('en'),
      `${(manyPerSecond / fewPerSecond).toFixed(2)} ×`,
    ]),
  )
  return held.flatMap(({ name, memoryBytes, ...each }) => [
    informs(`${title}, ${name}, sent`, each.sentPerSecond, '/s'),
    informs(`${title}, ${name}, disk a message`, each.diskBytes, 'B'),
    ...(memoryBytes === undefined
      ? []
      : [informs(`${title}, ${name}, memory of the engine a message`, memoryBytes, 'B')]),
    informs(`${title}, ${name}, handled`, each.manyPerSecond, '/s'),
    informs(`${title}, ${name}, handled, over few that wait`, each.manyPerSecond / each.fewPerSecond, '×'),
  ])
}

const hold = async ({ progress }: ShapesRun, system: ShapeSystem, waiting: number): Promise<Held> => {
  const { name, load, folder, own } = system
  const few = Math.ceil(waiting / fewPart)
  const perSecond = async (messages: number): Promise<number> => {
    const how = { ...handled(system, messages, bodyBytes), msMax: handlingMsMax }
    const drained = await load.ask('drain', how)
    return (drained.messages * 1_000) / drained.ms
  }
  progress.step(`${name}, few messages`)
  // The first time only warms up.
  let fewPerSecond = 0
  for (let time = 1; time <= 2; time++) {
    await load.ask('publish', inBatches(system, few, bodyBytes))
    fewPerSecond = await perSecond(few)
  }
  await own?.audited()
  const memory = (): number => (own === undefined ? 0 : residentBytes(own.engine().pid))
  const before = { disk: await bytesIn(folder), memory: memory() }
  progress.step(`${name}, ${waiting.toLocaleString('en')} messages`)
  const sentMs = await load.ask('publish', inBatches(system, waiting, bodyBytes))
  const after = { disk: await bytesIn(folder), memory: memory() }
  progress.step(`${name}, handling them`)
  return {
    name,
    sentPerSecond: (waiting * 1_000) / sentMs,
    diskBytes: (after.disk - before.disk) / waiting,
    ...(own === undefined ? {} : { memoryBytes: (after.memory - before.memory) / waiting }),
    fewPerSecond,
    manyPerSecond: await perSecond(waiting),
  }
}
