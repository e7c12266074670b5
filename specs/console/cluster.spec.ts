import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { EngineProcess } from '../chaos/EngineProcess.ts'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { withConsole } from './harness/withConsole.ts'

const stage = withConsole()

interface Cluster {
  readonly nodes: readonly {
    readonly host: string
    readonly pid: number
    readonly version: string
    readonly featureLevel: number
  }[]
  readonly partitions: readonly {
    readonly partition: number
    readonly epoch: number
    readonly epochAt: number
    readonly stream: { readonly leader: string }
  }[]
}

it('the partitions of a cluster of one are those that the engine reports, as a grid and as a table', async () => {
  const { engine, open } = stage()
  const page = await open('/cluster')
  const tiles = page.getByRole('list', { name: 'Partitions' }).getByRole('listitem')
  await tiles.first().waitFor()
  const response = await fetch(`${engine.url}/v1/cluster`)
  const { nodes, partitions } = (await response.json()) as Cluster
  expect(nodes).toHaveLength(1)
  expect(await tiles.count()).toBe(partitions.length)
  for (const [i, { partition, epoch, epochAt, stream }] of partitions.entries()) {
    const text = await tiles.nth(i).innerText()
    expect(text).toMatch(new RegExp(`^Partition\\s+${partition}\\s`))
    expect(text).toContain('Active')
    expect(text).toContain(`epoch ${epoch} · for `)
    expect(Date.now() - epochAt).toBeGreaterThan(0)
    expect(stream.leader).toBe(partitions[0]!.stream.leader)
  }
  const { host, pid, version, featureLevel } = nodes[0]!
  await page.getByText(`${host}, process ${pid}, version ${version}, feature level ${featureLevel}`).waitFor()
  await page.getByText('A cluster of one.').waitFor()
  const servers = page.getByRole('region', { name: 'NATS servers' })
  const all = partitions.map(({ partition }) => partition).join(', ')
  expect(await servers.getByRole('listitem').innerText()).toMatch(
    new RegExp(`${partitions[0]!.stream.leader}\\s+leads partitions ${all}`),
  )
  await servers.getByText('there are no replicas').waitFor()
  await expectAccessibleInAllLooks(page)

  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await page.waitForURL(/view=table/)
  const rows = page.getByRole('grid', { name: 'Partitions' }).getByRole('row')
  await rows.nth(partitions.length).waitFor()
  for (const [i, { partition, epoch }] of partitions.entries()) {
    const cells = await rows
      .nth(i + 1)
      .getByRole('gridcell')
      .allInnerTexts()
    expect([cells[0], cells[4]].map(Number)).toEqual([partition, epoch])
  }
  await expectAccessibleInAllLooks(page)
})

it('a node that joins takes its share and one that leaves hands it over, and the page shows each', async () => {
  const { engine, open } = stage()
  const page = await open('/cluster')
  const tiles = page.getByRole('list', { name: 'Partitions' }).getByRole('listitem')
  const nodes = page.getByRole('region', { name: 'Nodes' }).getByRole('listitem')
  const moves = page.getByRole('region', { name: 'Movement' }).getByRole('listitem')
  await page.getByText('Nothing has moved since this page was opened.').waitFor()
  const partitions = await tiles.count()
  await using folder = await temporaryFolder()
  const second = new EngineProcess({ name: 'second', url: engine.nats, folder: folder.path, partitions })
  second.start()
  try {
    const name = `-${second.pid}`
    await nodes.filter({ hasText: name }).getByText('healthy').waitFor()
    const its = tiles.filter({ hasText: name }).filter({ hasText: 'Active' })
    await waitUntil(async () => (await its.count()) === partitions / 2, { timeoutMs: 30_000 })
    await moves
      .filter({ hasText: 'a node joined' })
      .nth(partitions / 2 - 1)
      .waitFor()
    expect(await page.getByText('A cluster of one.').count()).toBe(0)
    await expectAccessibleInAllLooks(page)

    await second.end('SIGTERM')
    await page.getByText('A cluster of one.').waitFor()
    await waitUntil(async () => (await its.count()) === 0, { timeoutMs: 30_000 })
    await tiles
      .filter({ hasText: 'Active' })
      .nth(partitions - 1)
      .waitFor()
    await moves
      .filter({ hasText: new RegExp(`${name} → `) })
      .nth(partitions / 2 - 1)
      .waitFor()
  } finally {
    second.kill()
  }
})
