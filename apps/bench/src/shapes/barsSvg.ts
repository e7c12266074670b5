/** A bar of a picture. */
export interface Bar {
  readonly title: string
  /** Kiroku's messages per second over those of the best peer. */
  readonly ratio: number
}

const [textWidth, barWidth, valueWidth, rowHeight, margin] = [430, 420, 60, 22, 16]
/** Ratios from a tenth to tenfold, so that twice as fast and half as fast are as long. */
const decades = 1
const [ahead, behind] = ['#2a7f62', '#b3543e']

/** Bars to the right of a line where Kiroku is ahead of the best peer and to its left where it is behind, on a logarithmic scale, as an SVG picture. */
export const barsSvg = (bars: readonly Bar[]): string => {
  const width = textWidth + barWidth + valueWidth + 2 * margin
  const height = (bars.length + 1) * rowHeight + 2 * margin
  const left = margin + textWidth
  const xOf = (ratio: number): number => {
    const log = Math.max(-decades, Math.min(decades, Math.log10(ratio)))
    return Math.round(left + ((log + decades) / (2 * decades)) * barWidth)
  }
  const middle = xOf(1)
  const marks = [0.1, 0.25, 0.5, 1, 2, 4, 10].map(
    (ratio) =>
      `<line x1="${xOf(ratio)}" y1="${margin + rowHeight}" x2="${xOf(ratio)}" y2="${height - margin}" stroke="${ratio === 1 ? '#333' : '#ddd'}"/>` +
      `<text x="${xOf(ratio)}" y="${margin + 14}" text-anchor="middle" fill="#666">${ratio} ×</text>`,
  )
  const rows = bars.map(({ title, ratio }, i) => {
    const y = margin + (i + 1) * rowHeight
    const [from, to] = [Math.min(middle, xOf(ratio)), Math.max(middle, xOf(ratio))]
    return (
      `<text x="${left - 8}" y="${y + 15}" text-anchor="end" fill="#333">${escaped(title)}</text>` +
      `<rect x="${from}" y="${y + 4}" width="${Math.max(1, to - from)}" height="${rowHeight - 8}" fill="${ratio >= 1 ? ahead : behind}"/>` +
      `<text x="${left + barWidth + 8}" y="${y + 15}" fill="#333">${ratio.toFixed(2)} ×</text>`
    )
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>Kiroku’s messages per second over those of the best peer</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${[...marks, ...rows].join('\n')}
</svg>
`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
