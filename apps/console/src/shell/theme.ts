const key = 'kiroku.theme'
const order = ['light dark', 'light', 'dark'] as const

/** Applies the stored choice. */
export const restoreTheme = (): void => set(localStorage.getItem(key) ?? order[0])

/** Cycles through system, light and dark. Returns its name. */
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
