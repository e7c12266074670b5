import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible } from './withConsole.ts'

const wide = { width: 1440, height: 900 }
const narrow = { width: 390, height: 844 }

/**
 * Expects the current page to break no rule, in light and wide as in dark and narrow; leaves it light and
 * wide.
 */
export const expectAccessibleInAllLooks = async (page: Page): Promise<void> => {
  for (const [colorScheme, size] of [
    ['dark', narrow],
    ['light', wide],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize(size)
    await expectAccessible(page)
    const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(tooWide, `${page.url()} is wider than ${size.width}`).toBeLessThanOrEqual(0)
  }
}
