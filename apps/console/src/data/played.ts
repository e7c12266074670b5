import { createContext, useContext, useRef } from 'react'
import type { Standing } from '../replay/Player.ts'
import { useMoment } from './moment.ts'

/** Whether the past is being played. */
export const PlayingContext = createContext(false)

/** How everything stands while it is played, told once a second; undefined while it is not. */
export const PlayedContext = createContext<Standing | undefined>(undefined)

/**
 * The moment that the engine is asked about: the one that is looked at, but while that is played the one where it began. What
 * happens then is replayed in the browser, and questions would take the time that reading ahead needs.
 */
export const useAskedMoment = (): string | undefined => {
  const { at } = useMoment()
  const isPlaying = useContext(PlayingContext)
  const asked = useRef(at)
  if (!isPlaying) asked.current = at
  return asked.current
}
