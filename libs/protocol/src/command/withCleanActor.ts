import type { Actor } from '../event/Actor.ts'
import { limits } from '../limits.ts'
import { shown } from '../shown.ts'
import type { Command } from './Command.ts'

/**
 * A command whose actor is fit for the record, whatever client sent it: cut to its limits, and with nothing that a terminal or a
 * log would obey. Line breaks become spaces.
 */
export const withCleanActor = <C extends Command>(command: C): C =>
  'by' in command ? { ...command, by: cleanActor(command.by) } : command

/** An actor that is fit for the record. */
export const cleanActor = ({ name, origin, reason }: Actor): Actor => ({
  name: cleanText(name, limits.actorCharactersMax),
  origin: cleanText(origin, limits.actorCharactersMax),
  ...(reason === undefined ? {} : { reason: cleanText(reason, limits.reasonCharactersMax) }),
})

const cleanText = (text: string, charactersMax: number): string =>
  shown(text.slice(0, charactersMax).replace(/[\r\n\t]+/g, ' '))
    .slice(0, charactersMax)
    .toWellFormed()
