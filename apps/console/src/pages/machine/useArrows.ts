import { useEffect, type RefObject } from 'react'
import { boxes, type Box } from '../../chart/layout.ts'

const middle = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 })

const directions: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The next state from another in a direction; sideways distance counts twice. */
export const neighbourOf = (name: string, key: string): string | undefined => {
  const direction = directions[key]
  if (direction === undefined || !(name in boxes)) return undefined
  const from = middle(boxes[name]!)
  let [nearest, least]: [string | undefined, number] = [undefined, Infinity]
  for (const [other, box] of Object.entries(boxes)) {
    const { x, y } = middle(box)
    const along = (x - from.x) * direction[0] + (y - from.y) * direction[1]
    const aside = Math.abs((x - from.x) * direction[1]) + Math.abs((y - from.y) * direction[0])
    if (other === name || other === 'Ready' || along <= 0 || along + 2 * aside >= least) continue
    ;[nearest, least] = [other, along + 2 * aside]
  }
  return nearest
}

/** The arrow keys move from state to state. */
export const useArrows = (ref: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const element = ref.current!
    const onKeyDown = (event: KeyboardEvent): void => {
      const name = (event.target as HTMLElement).dataset['state']
      const next = name === undefined ? undefined : neighbourOf(name, event.key)
      if (next === undefined) return
      event.preventDefault()
      element.querySelector<HTMLElement>(`[data-state="${next}"]`)?.focus()
    }
    element.addEventListener('keydown', onKeyDown)
    return () => element.removeEventListener('keydown', onKeyDown)
  }, [ref])
}
