import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { CopyButton } from '../../../parts/CopyButton.tsx'
import { count } from '../../../parts/format.ts'
import { keyOf, pathOf, visibleValues, type JsonText } from '../../../parts/readJson.ts'
import styles from './JsonTree.module.css'

/** Most characters of a value on its line; the chosen one is shown in full below. */
const inLineMax = 300
const wholeMax = 20_000
/** Levels that are indented; deeper ones say how deep they are. */
const indentedMax = 24
/** Groups so deep and so small are open at first. */
const openDepth = 3
const openSize = 200

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max)}…`)

/** JSON as a tree: every value as written. */
export const JsonTree = ({ json }: { readonly json: JsonText }) => {
  const scroller = useRef<HTMLDivElement>(null)
  const [isAllOpen, setAllOpen] = useState<boolean>()
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set())
  const [current, setCurrent] = useState(0)
  const [shown, setShown] = useState(wholeMax)
  const isOpen = (value: number): boolean => {
    const first = isAllOpen ?? (json.depths[value]! < openDepth && json.sizes[value]! <= openSize)
    return (value === 0 || first) !== toggled.has(value)
  }
  const rows = useMemo(() => visibleValues(json, isOpen), [json, isAllOpen, toggled])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 24,
    overscan: 10,
  })
  const value = rows[Math.min(current, rows.length - 1)] ?? 0
  const items = virtual.getVirtualItems()
  const toggle = (which: number): void => {
    const next = new Set(toggled)
    if (!next.delete(which)) next.add(which)
    setToggled(next)
  }
  const go = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to))
    setCurrent(next)
    setShown(wholeMax)
    virtual.scrollToIndex(next)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const isGroup = json.sizes[value]! > 0
    const does: Record<string, () => void> = {
      ArrowDown: () => go(current + 1),
      ArrowUp: () => go(current - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      PageDown: () => go(current + 12),
      PageUp: () => go(current - 12),
      Enter: () => isGroup && toggle(value),
      ArrowRight: () => (isGroup && !isOpen(value) ? toggle(value) : go(current + 1)),
      ArrowLeft: () =>
        isGroup && isOpen(value) ? toggle(value) : go(Math.max(0, rows.indexOf(json.parents[value]!))),
    }
    const run = does[event.key]
    if (run === undefined) return
    event.preventDefault()
    run()
  }
  const open = (all: boolean): void => {
    setToggled(new Set())
    setAllOpen(all)
    setCurrent(0)
  }
  const whole = json.text.slice(json.starts[value], json.ends[value])
  const path = useMemo(() => pathOf(json, value), [json, value])
  const isFindable = path.length > 0 && path.length <= 8 && json.sizes[value] === 0
  return (
    <div className={styles['tree']}>
      <div
        ref={scroller}
        className={styles['scroller']}
        role="tree"
        aria-label="Payload"
        tabIndex={0}
        aria-activedescendant={items.some(({ index }) => rows[index] === value) ? `json-${value}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="presentation">
          {items.map(({ index, start }) => {
            const each = rows[index]!
            const depth = json.depths[each]!
            const isGroup = json.kinds[each] === 'object' || json.kinds[each] === 'array'
            return (
              <div
                key={each}
                id={`json-${each}`}
                role="treeitem"
                aria-level={depth + 1}
                aria-selected={each === value}
                {...(json.sizes[each]! > 0 ? { 'aria-expanded': isOpen(each) } : {})}
                className={styles['row']}
                style={{
                  transform: `translateY(${start}px)`,
                  paddingLeft: `${0.5 + Math.min(depth, indentedMax) * 1.1}rem`,
                }}
                onClick={() => {
                  setCurrent(index)
                  setShown(wholeMax)
                  if (json.sizes[each]! > 0) toggle(each)
                }}
              >
                <span className={styles['fold']} aria-hidden="true">
                  {json.sizes[each]! > 0 ? (isOpen(each) ? '▾' : '▸') : ''}
                </span>
                {depth > indentedMax && <span className="quiet">{depth} · </span>}
                <Key json={json} value={each} />
                {isGroup ? (
                  <span className="quiet">
                    {json.kinds[each] === 'object' ? '{ }' : '[ ]'} {count(json.sizes[each]!)}
                  </span>
                ) : (
                  <span data-kind={json.kinds[each]}>
                    {cut(
                      json.text.slice(
                        json.starts[each],
                        Math.min(json.ends[each]!, json.starts[each]! + inLineMax + 1),
                      ),
                      inLineMax,
                    )}
                  </span>
                )}
              </div>
            )
          })}
        </div>
      </div>
      <div className="row">
        <button type="button" className="button small" onClick={() => open(true)}>
          Open all
        </button>
        <button type="button" className="button small" onClick={() => open(false)}>
          Close all
        </button>
        <CopyButton text={whole}>Copy value</CopyButton>
        {isFindable && (
          <CopyButton
            text={`payload.${path.filter((part) => typeof part === 'string').join('.')}:${cut(whole, 200)}`}
          >
            Copy as filter
          </CopyButton>
        )}
        <code className={`quiet ${styles['path']}`}>{cut(path.join('.'), 200) || 'the whole payload'}</code>
      </div>
      {json.sizes[value] === 0 && whole.length > inLineMax && (
        <div className={styles['whole']}>
          <pre tabIndex={0}>{whole.slice(0, shown)}</pre>
          {shown < whole.length && (
            <button type="button" className="button small" onClick={() => setShown(shown * 4)}>
              Show more of {count(whole.length)} characters
            </button>
          )}
        </div>
      )}
    </div>
  )
}

/** The key of a value. */
const Key = ({ json, value }: { readonly json: JsonText; readonly value: number }) => {
  const key = keyOf(json, value)
  return key === undefined ? null : <span className={styles['key']}>{cut(key, 120)}:</span>
}
