import { createContext, useContext, useRef } from 'react'
import type { Standing } from '../replay/Player.ts'
import { useMoment } from './moment.ts'

/** Whether the past is being played. */
export const PlayingContext = createContext(false)

/** The state of everything during playback, updated once per second; undefined otherwise. */
export const PlayedContext = createContext<Standing | undefined>(undefined)

/**
 * The moment to request from the engine: the chosen one, or during playback the one where it began. Playback
 * is replayed in the browser, and requests would take the time that reading ahead needs.
 */
export const useAskedMoment = (): string | undefined => {
  const { at } = useMoment()
  const isPlaying = useContext(PlayingContext)
  const asked = useRef(at)
  if (!isPlaying) asked.current = at
  return asked.current
}
