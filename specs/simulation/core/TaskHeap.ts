import type { Party } from './Party.ts'

/** Something to be run at a time. */
export interface Task {
  atMs: number
  /** Of tasks at one time, the one that was set first runs first. */
  readonly order: number
  run: (() => void) | undefined
  readonly party: Party | undefined
}

/** Tasks by their time. */
export class TaskHeap {
  readonly #tasks: Task[] = []

  get size(): number {
    return this.#tasks.length
  }

  peek(): Task | undefined {
    return this.#tasks[0]
  }

  push(task: Task): void {
    const tasks = this.#tasks
    let i = tasks.length
    tasks.push(task)
    while (i > 0) {
      const up = (i - 1) >> 1
      if (!isBefore(task, tasks[up]!)) break
      tasks[i] = tasks[up]!
      i = up
    }
    tasks[i] = task
  }

  pop(): Task | undefined {
    const tasks = this.#tasks
    const top = tasks[0]
    const last = tasks.pop()
    if (top === undefined || last === undefined || tasks.length === 0) return top
    let i = 0
    for (;;) {
      let down = 2 * i + 1
      if (down >= tasks.length) break
      if (down + 1 < tasks.length && isBefore(tasks[down + 1]!, tasks[down]!)) down++
      if (!isBefore(tasks[down]!, last)) break
      tasks[i] = tasks[down]!
      i = down
    }
    tasks[i] = last
    return top
  }
}

const isBefore = (a: Task, b: Task): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
