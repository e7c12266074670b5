import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import styles from './DataTable.module.css'

/** A column of a table. */
export interface Column<Row> {
  readonly key: string
  readonly head: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** A track of CSS grid: `8rem`, `minmax(6rem, 1fr)`. */
  readonly width: string
  readonly isNumber?: boolean
  /** Makes the head a sort button; returns the value to compare. */
  readonly sort?: (row: Row) => number | string
}

/** By which column, and which way. */
export interface Sorting {
  readonly key: string
  readonly descending: boolean
}

/**
 * A table of any number of rows: only visible ones are drawn. `j` and `k` or the arrows move, Enter opens.
 * `more` is called near the end.
 */
export const DataTable = <Row,>({
  label,
  rows,
  columns,
  rowKey,
  onOpen,
  more,
  sorting,
  onSort,
  height = 'min(70vh, 48rem)',
}: {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  readonly onOpen?: (row: Row) => void
  readonly more?: () => void
  readonly sorting?: Sorting
  readonly onSort?: (sorting: Sorting) => void
  readonly height?: string
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(-1)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 32,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (more !== undefined && last >= rows.length - 20) more()
  }, [more, last, rows.length])
  const move = useCallback(
    (to: number) => {
      const next = Math.max(0, Math.min(rows.length - 1, to))
      setCurrent(next)
      virtual.scrollToIndex(next)
    },
    [rows.length, virtual],
  )
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 320) / 32) - 2)
    const steps: Record<string, number> = {
      j: current + 1,
      ArrowDown: current + 1,
      k: current - 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: rows.length - 1,
    }
    const to = steps[event.key]
    if (to !== undefined) {
      event.preventDefault()
      move(to)
    } else if (event.key === 'Enter' && current >= 0 && event.target === event.currentTarget) {
      event.preventDefault()
      onOpen?.(rows[current]!)
    }
  }
  const grid = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }
  const id = `table-${label.replace(/\W+/g, '-')}`
  return (
    <div
      ref={scroller}
      className={styles['scroller']}
      style={{ maxHeight: height }}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      aria-activedescendant={items.some(({ index }) => index === current) ? `${id}-${current}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div className={`${styles['row']} ${styles['head']}`} style={grid} role="row" aria-rowindex={1}>
        {columns.map(({ key, head, isNumber, sort }) => {
          const direction =
            sorting?.key === key ? (sorting.descending ? 'descending' : 'ascending') : undefined
          return (
            <div
              key={key}
              role="columnheader"
              aria-sort={direction}
              className={isNumber === true ? 'number' : undefined}
            >
              {sort !== undefined && onSort !== undefined ? (
                <button
                  type="button"
                  className={styles['sort']}
                  onClick={() => onSort({ key, descending: direction !== 'descending' })}
                >
                  {head}
                  <span aria-hidden="true">
                    {direction === undefined ? '' : direction === 'descending' ? ' ↓' : ' ↑'}
                  </span>
                </button>
              ) : (
                head
              )}
            </div>
          )
        })}
      </div>
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="presentation">
        {items.map(({ index, start }) => {
          const row = rows[index]!
          return (
            <div
              key={rowKey(row)}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={index === current}
              className={`${styles['row']} ${styles['body']} ${onOpen === undefined ? '' : styles['opens']}`}
              style={{ ...grid, transform: `translateY(${start}px)` }}
              onClick={() => {
                setCurrent(index)
                if (window.getSelection()?.isCollapsed !== false) onOpen?.(row)
              }}
            >
              {columns.map((column) => (
                <div
                  key={column.key}
                  role="gridcell"
                  className={`${styles['cell']} ${column.isNumber === true ? 'number' : ''}`}
                >
                  {column.cell(row)}
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Rows in the order of a column; without one as they are. */
export const sorted = <Row,>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | undefined,
): readonly Row[] => {
  const by = columns.find(({ key }) => key === sorting?.key)?.sort
  if (by === undefined || sorting === undefined) return rows
  const sign = sorting.descending ? -1 : 1
  return [...rows].sort((a, b) => {
    const [x, y] = [by(a), by(b)]
    return sign * (x < y ? -1 : x > y ? 1 : 0)
  })
}
