import { machineGraph, type GraphEdge } from '@kiroku/message'
import type { Page } from 'playwright-core'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { populationAt } from './harness/populationAt.ts'
import { withConsole } from './harness/withConsole.ts'
import { withLoad } from './harness/withLoad.ts'

const stage = withConsole()

/** An arrow of the picture: from, to, and every way to take it with its guards. */
const arrowsOf = (edges: readonly GraphEdge[]): string[] => {
  const arrows = new Map<string, string[]>()
  for (const { from, to, event, guards } of edges) {
    const arrow = `${from} to ${to}`
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), `${event}: ${guards.join(' ')}`])
  }
  return [...arrows].map(([arrow, ways]) => `${arrow} by ${ways.join('; ')}`).toSorted()
}

const drawnArrows = (page: Page): Promise<string[]> =>
  page
    .locator('[data-from][data-to][data-guards]')
    .evaluateAll((drawn) =>
      drawn.map(
        (arrow) =>
          `${arrow.getAttribute('data-from')} to ${arrow.getAttribute('data-to')} by ${arrow.getAttribute('data-guards')}`,
      ),
    )

const drawnStates = (page: Page): Promise<string[]> =>
  page.locator('[data-state]').evaluateAll((drawn) => drawn.map((node) => node.getAttribute('data-state')!))

/** Counts by state and the records that they contain, as they stand on the page at one moment. */
const shown = (page: Page): Promise<{ counts: Record<string, number>; seqs: number[] }> =>
  page.evaluate(`(() => {
    const counts = {}
    for (const node of document.querySelectorAll('[data-state][data-count]'))
      counts[node.dataset.state] = Number(node.dataset.count)
    const position = document.querySelector('[data-position]').dataset.position
    return { counts, seqs: position.split('.').map(Number) }
  })()`)

const { nodes, edges } = machineGraph()

it('[CARD-06] the machine is drawn from its definition: every state, every transition, every guard, and nothing else', async () => {
  const page = await stage().open('/')
  await page.locator('[data-state="Inflight"]').waitFor()
  expect((await drawnStates(page)).toSorted()).toEqual(nodes.map(({ name }) => name).toSorted())
  expect((await drawnArrows(page)).toSorted()).toEqual(arrowsOf(edges))
})

it('[CARD-06] the table next to the picture says the same', async () => {
  const page = await stage().open('/?view=table')
  await page.locator('[data-state="Inflight"]').waitFor()
  expect((await drawnStates(page)).toSorted()).toEqual(nodes.map(({ name }) => name).toSorted())
  expect((await drawnArrows(page)).toSorted()).toEqual(arrowsOf(edges))
})

it('[CARD-06] the live counts are those of the record at the same sequence, while messages flow', async () => {
  const { engine, open } = stage()
  const page = await open('/')
  const seen: { counts: Record<string, number>; seqs: number[] }[] = []
  await withLoad(engine.client, 'flow', async () => {
    await waitUntil(async () => (await shown(page)).counts['DLQ']! > 20, { timeoutMs: 60_000 })
    for (let i = 0; i < 5; i++) {
      const before = seen.at(-1)?.seqs.join('.')
      seen.push(
        await waitUntil(async () => {
          const now = await shown(page)
          return now.seqs.join('.') !== before && now
        }),
      )
    }
  })
  expect(new Set(seen.map(({ seqs }) => seqs.join('.'))).size).toBe(5)
  for (const { counts, seqs } of seen) {
    const { Ready: _, ...states } = counts
    expect(states).toEqual(await populationAt(engine.nats, seqs))
  }
})

it('[CARD-06] at a moment of the past the counts are those of the record then, replayed in the browser', async () => {
  const { engine, open } = stage()
  const home = (await engine.client.queues.describe('flow')).partition
  const page = await open(`/?queue=flow&at=${home}/60`)
  await page.locator('[data-seq="60"]').waitFor()
  const { counts, seqs } = await shown(page)
  expect(seqs[home]).toBe(60)
  const only = seqs.map((seq, partition) => (partition === home ? seq : 0))
  const { Ready: _, ...states } = counts
  expect(states).toEqual(await populationAt(engine.nats, only))
})
