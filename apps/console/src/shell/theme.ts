const key = 'kiroku.theme'
const order = ['light dark', 'light', 'dark'] as const

/** Brings what was chosen before into force. */
export const restoreTheme = (): void => set(localStorage.getItem(key) ?? order[0])

/** As the system is, light, dark, and again. Gives its name. */
export const nextTheme = (): string => {
  const now = order.indexOf((localStorage.getItem(key) ?? order[0]) as (typeof order)[number])
  const next = order[(now + 1) % order.length]!
  localStorage.setItem(key, next)
  set(next)
  return next === order[0] ? 'as the system is' : next
}

const set = (scheme: string): void => {
  document.documentElement.style.colorScheme = scheme
}
