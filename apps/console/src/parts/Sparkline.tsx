/** Values over time as a small line, with gaps where unknown; the text next to it says what it shows. */
export const Sparkline = ({
  values,
  width = 96,
  height = 24,
  colour = 'var(--accent)',
  label,
}: {
  readonly values: readonly (number | undefined)[]
  readonly width?: number
  readonly height?: number
  readonly colour?: string
  readonly label: string
}) => {
  const most = Math.max(1, ...values.map((v) => v ?? 0))
  const step = width / Math.max(1, values.length - 1)
  const points = values.flatMap((v, i) =>
    v === undefined
      ? []
      : [`${(i * step).toFixed(1)},${(height - 1 - (v / most) * (height - 2)).toFixed(1)}`],
  )
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke={colour}
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    </svg>
  )
}
