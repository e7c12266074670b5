import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { commandsOf, fileOf, isProgram, runOf, shownBy, wholeProgram, type Block } from './readBlocks.ts'
import { showsSame } from './sameShape.ts'
import { Terminal, type Ran } from './Terminal.ts'

/** One thing that a document has its reader do, and what came of it. */
export interface Step {
  readonly block: Block
  readonly what: string
  readonly seconds: number
  /** Milliseconds of `performance.now()` when it was done. */
  readonly at: number
  /** Why it did not work. */
  readonly problem?: string
  /** Why it was not run. */
  readonly notRun?: string
}

/** Where and how a reader follows documents. */
export interface Place {
  /** The folder in which each section begins. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Takes the place of a command, or says why it is not run here. */
  readonly instead: (command: string) => (() => Promise<void>) | string | undefined
  readonly told: (step: Step) => void
}

/** Where documents say that NATS listens. */
const natsShown = '127.0.0.1:4222'

const shownWithin = 60_000

/** Follows documents literally: types what they say to type, saves what they say to save, compares what they show. */
export class Reader {
  readonly steps: Step[] = []
  readonly #place: Place
  readonly #terminals = new Map<string, Terminal>()
  #addresses: ReadonlyMap<string, string> = new Map()
  #program: string | undefined
  #isKilled = false

  constructor(place: Place) {
    this.#place = place
  }

  /** Follows the blocks of one document in their order. */
  async follow(blocks: ReadonlyArray<Block>): Promise<void> {
    for (const block of blocks) if (!this.#isKilled) await this.#followBlock(block)
  }

  /** Where the engine's NATS listens, once a document had its reader start one. */
  get nats(): string | undefined {
    return this.#addresses.get(natsShown)
  }

  /** Ends everything at once, and follows nothing more. */
  kill(): void {
    this.#isKilled = true
    for (const terminal of this.#terminals.values()) terminal.kill()
  }

  /** Ends everything that still runs. */
  async close(): Promise<void> {
    for (const terminal of [...this.#terminals.values()].reverse()) await terminal.close()
  }

  async #followBlock(block: Block): Promise<void> {
    const { notRun, onlyChecked } = block.notes
    const reason = notRun ?? onlyChecked
    const program = isProgram(block) ? wholeProgram(block, this.#program) : undefined
    if (reason !== undefined) this.#tell(block, firstLine(block), { seconds: 0, notRun: reason })
    else if (await this.#lacksTool(block)) this.#tellSkipped(block)
    else if (program !== undefined) await this.#runProgram(block, program)
    else {
      await this.#makeReady(block)
      const commands = commandsOf(block)
      for (const [index, command] of commands.entries())
        if (!this.#isKilled)
          await this.#runCommand(block, await this.#filled(block, command), index === commands.length - 1)
      if (block.notes.meanwhile !== undefined) await this.#terminal(block).interrupt()
    }
    if (program?.includes('await connect(')) this.#program = program
  }

  async #lacksTool(block: Block): Promise<boolean> {
    const { needs } = block.notes
    return needs !== undefined && (await this.#terminal(block).run(needs)).code !== 0
  }

  #tellSkipped(block: Block): void {
    const why = `SKIPPED: \`${block.notes.needs}\` fails; .ci/install-clients installs it`
    const isRequired = process.env['KIROKU_REQUIRE_ALL'] === '1'
    this.#tell(block, firstLine(block), { seconds: 0, ...(isRequired ? { problem: why } : { notRun: why }) })
  }

  async #runProgram(block: Block, program: string): Promise<void> {
    const { folder } = this.#terminal(block)
    const named = fileOf(block)
    const { file, command } = runOf(block)
    writeFileSync(path.join(folder, named ?? file), put(program, this.#addresses))
    if (named === undefined) {
      await this.#makeReady(block)
      await this.#runCommand(block, command, true)
    }
  }

  /** Does what the document takes for granted. */
  async #makeReady(block: Block): Promise<void> {
    const { before, meanwhile } = block.notes
    for (const command of before) await this.#quietly(block, put(command, this.#addresses))
    if (meanwhile !== undefined) this.#terminal(block).leave(meanwhile)
  }

  /** The command with what its reader puts in the place of words. */
  async #filled(block: Block, command: string): Promise<string> {
    let filled = put(command, this.#addresses)
    for (const { word, command: finds } of block.notes.stands)
      if (put(filled, new Map([[word, '']])) !== filled)
        filled = put(filled, new Map([[word, (await this.#quietly(block, finds)).trim()]]))
    return filled
  }

  async #quietly(block: Block, command: string): Promise<string> {
    const { code, output } = await this.#terminal(block).run(command)
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${output}`)
    return output
  }

  async #runCommand(block: Block, command: string, isLast: boolean): Promise<void> {
    const instead = this.#place.instead(command)
    if (typeof instead === 'string') return this.#tell(block, command, { seconds: 0, notRun: instead })
    if (instead !== undefined) {
      const started = performance.now()
      await instead()
      return this.#tell(block, command, { seconds: (performance.now() - started) / 1_000 })
    }
    const { runsOn, endedAfter, types } = block.notes
    if (isLast && runsOn !== undefined) await this.#endOthers()
    const says = endedAfter ?? (isLast ? runsOn : undefined)
    const ran = await this.#terminal(block).run(command, {
      ...(says === undefined ? {} : { says, stays: endedAfter === undefined }),
      ...(types === undefined ? {} : { types }),
    })
    this.#readAddresses(ran.output)
    const problem = await this.#problemOf(block, ran, isLast)
    this.#tell(block, command, { seconds: ran.seconds, ...(problem === undefined ? {} : { problem }) })
  }

  async #problemOf(block: Block, ran: Ran, isLast: boolean): Promise<string | undefined> {
    if (block.notes.endedAfter !== undefined && ran.code === null) return undefined
    if (block.notes.runsOn !== undefined && isLast)
      return ran.code === null ? undefined : `ended with ${ran.code} before it said so: ${ran.output}`
    if (ran.code !== 0) return `ended with ${ran.code}: ${ran.output}`
    const shown = shownBy(block)
    if (shown === undefined) return undefined
    const deadline = performance.now() + shownWithin
    let printed = ran.output
    // What it shows may still be coming about, as with the retries of a message.
    while (!showsSame(printed, shown) && performance.now() < deadline)
      printed = (await this.#terminal(block).run(ran.command)).output
    return showsSame(printed, shown)
      ? undefined
      : `printed something else than the document shows: ${printed}`
  }

  /** The engine's actual addresses replace those in the documents. */
  #readAddresses(output: string): void {
    if (this.#addresses.size > 0) return
    const [, nats] = /^ {2}NATS +nats:\/\/(\S+)/m.exec(output) ?? []
    const [, http] = /^ {2}HTTP API +http:\/\/(\S+)/m.exec(output) ?? []
    const [, sqs] = /^ {2}SQS +http:\/\/(\S+)/m.exec(output) ?? []
    if (nats === undefined || http === undefined) return
    this.#addresses = new Map([
      [natsShown, nats],
      ['127.0.0.1:8480', http],
      ...(sqs === undefined ? [] : [['127.0.0.1:9324', sqs] as const]),
    ])
  }

  #tell(block: Block, what: string, came: Pick<Step, 'seconds' | 'problem' | 'notRun'>): void {
    const step = { block, what, at: performance.now(), ...came }
    this.steps.push(step)
    this.#place.told(step)
  }

  #terminal({ document, section }: Block): Terminal {
    const name = `${document} ${section}`
    const found = this.#terminals.get(name) ?? new Terminal(this.#place.folder, this.#place.env)
    this.#terminals.set(name, found)
    return found
  }

  /** One terminal is the engine's, and a reader has one more for what runs on. */
  async #endOthers(): Promise<void> {
    for (const terminal of [...this.#terminals.values()].slice(1)) await terminal.interrupt()
  }
}

const firstLine = ({ text }: Block): string => text.split('\n')[0]!

const put = (text: string, words: ReadonlyMap<string, string>): string => {
  let filled = text
  for (const [word, value] of words)
    filled = filled.replaceAll(new RegExp(`(?<![\\w.])${word.replaceAll('.', '\\.')}(?!\\w)`, 'g'), value)
  return filled
}
