import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const module = fileURLToPath(new URL('./growHeap.ts', import.meta.url))

/** Full collections of a process that drops 2 GB of bodies, 200 of which it holds at a time. */
const fullCollections = (first: string): number =>
  Number(
    execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { constants, PerformanceObserver } from 'node:perf_hooks'
        import { setImmediate } from 'node:timers/promises'
        const { growHeap } = await import(${JSON.stringify(module)})
        ${first}
        let full = 0
        const observer = new PerformanceObserver((seen) => {
          for (const { detail } of seen.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full++
        })
        observer.observe({ entryTypes: ['gc'] })
        const held = []
        for (let i = 0; i < 20_000; i++) {
          held[i % 200] = Buffer.alloc(100_000)
          if (i % 100 === 0) await setImmediate()
        }
        await setImmediate()
        console.log(full)`,
      ],
      { encoding: 'utf8' },
    ),
  )

it.runIf(process.versions.v8.startsWith('13.6.'))('bodies that come and go begin few full collections', () =>
  expect(fullCollections('growHeap()')).toBeLessThan(fullCollections('') / 2),
)
