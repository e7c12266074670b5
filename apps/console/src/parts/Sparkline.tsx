/** Values over time as a small line; the words beside it say what it shows. */
export const Sparkline = ({
  values,
  width = 96,
  height = 24,
  label,
}: {
  readonly values: readonly number[]
  readonly width?: number
  readonly height?: number
  readonly label: string
}) => {
  const most = Math.max(1, ...values)
  const step = width / Math.max(1, values.length - 1)
  const points = values.map(
    (v, i) => `${(i * step).toFixed(1)},${(height - 1 - (v / most) * (height - 2)).toFixed(1)}`,
  )
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--accent)"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    </svg>
  )
}
